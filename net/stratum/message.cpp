#include "net/stratum/message.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr JsonBounds kLine{.levels = 32, .values = 10'000};  // a job with all its branches has some fifty values
constexpr std::size_t kLongestRequestId = 64;

/// (Whether char has a sign differs between x86-64 and ARM64.)
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) > 0x7f; }

json parse_json(std::string_view line) {
    if (line.size() > kLongestStratumLine) {
        throw ProtocolError(
            fmt::format("expected a line of at most {} bytes, got {}", kLongestStratumLine, line.size()));
    }
    if (const std::string bound = exceeded_bound(line, kLine); !bound.empty()) {
        throw ProtocolError(fmt::format("expected JSON of {}, got more", bound));
    }
    json document = json::parse(line, nullptr, false);
    if (document.is_discarded() && std::any_of(line.begin(), line.end(), is_beyond_ascii)) {
        // Perhaps only a text in another encoding than UTF-8; no name and no number has such bytes.
        std::string ascii(line);
        std::replace_if(ascii.begin(), ascii.end(), is_beyond_ascii, '?');
        document = json::parse(ascii, nullptr, false);
    }
    if (document.is_discarded()) throw ProtocolError("expected a line of JSON, got " + quoted_text(line));
    return document;
}

const json& field(const json& object, const char* name) {
    static const json kNull;
    const auto found = object.find(name);
    return found == object.end() ? kNull : *found;
}

bool says_nothing(const json& error) {
    return error.is_null() || error == json(false) || error == json(0) || error == json("") ||
           (error.is_structured() && error.empty());
}

std::string text_of(const json& value) {
    return value.is_string() ? printable_ascii(value.get_ref<const std::string&>()) : std::string();
}

// [code, text], [code, text, data], {"code", "message"}, a string, or anything else for "an error".
StratumRefusal read_error(const json& error) {
    StratumRefusal refusal;
    if (error.is_array()) {
        refusal.code = whole_number(error[0]);
        if (error.size() > 1) refusal.text = text_of(error[1]);
        if (!refusal.code && refusal.text.empty()) refusal.text = text_of(error[0]);
    } else if (error.is_object()) {
        refusal.code = whole_number(field(error, "code"));
        refusal.text = text_of(field(error, "message"));
    } else if (error.is_string()) {
        refusal.text = text_of(error);
    } else {
        refusal.code = whole_number(error);
    }
    return refusal;
}

std::optional<StratumRefusal> read_refusal(const json& object, const json& result) {
    const json& error = field(object, "error");
    if (!says_nothing(error)) return read_error(error);
    if (!result.is_null() && result != json(false)) return std::nullopt;
    StratumRefusal refusal;
    refusal.text = text_of(field(object, "reject-reason"));  // so some older pools
    return refusal;
}

std::string dump(const json& document) { return json_text(document); }

}  // namespace

std::string StratumRefusal::sentence() const {
    if (text.empty()) return code ? fmt::format("error {}", *code) : "no reason given";
    return code ? fmt::format("{} ({})", text, *code) : text;
}

StratumMessage parse_stratum_line(std::string_view line) {
    json document = parse_json(line);
    if (!document.is_object()) throw ProtocolError("expected a JSON object, got " + quoted_text(line));
    StratumMessage message;
    const json& id = field(document, "id");
    message.number = whole_number(id);
    if (id.is_number() || (id.is_string() && id.get_ref<const std::string&>().size() <= kLongestRequestId))
        message.id = id;
    const json& method = field(document, "method");
    if (method.is_string() && !method.get_ref<const std::string&>().empty()) {
        message.method = method.get<std::string>();
        message.params = field(document, "params");
        return message;
    }
    if (!document.contains("result") && !document.contains("error")) {
        throw ProtocolError("expected a method, a result or an error, got " + quoted_text(line));
    }
    message.result = field(document, "result");
    message.refusal = read_refusal(document, message.result);
    return message;
}

std::optional<std::int64_t> whole_number(const json& value) {
    constexpr double kExact = 9007199254740992;  // 2^53
    if (value.is_number_integer()) {
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) return std::nullopt;
        return value.get<std::int64_t>();
    }
    const std::optional<double> number = real_number(value);
    if (!number || std::abs(*number) > kExact || *number != std::floor(*number)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

std::optional<double> real_number(const json& value) {
    double number = 0;
    if (value.is_number()) {
        number = value.get<double>();
    } else if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const char* end = text.data() + text.size();
        const auto [stopped, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc() || stopped != end) return std::nullopt;
    } else {
        return std::nullopt;
    }
    if (!std::isfinite(number)) return std::nullopt;
    return number;
}

std::string quoted_json(const json& value) {
    return quoted_text(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

std::string stratum_request(std::uint64_t id, std::string_view method, const json& params) {
    return dump({{"id", id}, {"method", method}, {"params", params}});
}

std::string stratum_result(const json& id, const json& result) {
    return dump({{"id", id}, {"result", result}, {"error", nullptr}});
}

std::string stratum_error(const json& id, int code, std::string_view text) {
    return dump({{"id", id}, {"result", nullptr}, {"error", json::array({code, text, nullptr})}});
}

StratumEvents StratumOutput::take() { return std::exchange(events_, {}); }

void StratumOutput::warn(std::string sentence) {
    constexpr unsigned kMostWarnings = 10;
    if (warnings_++ < kMostWarnings) add(Warning{std::move(sentence)});
}

void StratumOutput::refuse(std::string sentence) {
    if (!std::exchange(over_, true)) add(LoginRefused{std::move(sentence)});
}

void StratumOutput::fail(std::string sentence, bool of_extensions) {
    if (!std::exchange(over_, true)) add(ProtocolViolation{std::move(sentence), of_extensions});
}

std::string StratumOutput::make_request(std::string_view method, const json& params) {
    note_sent();
    return stratum_request(next_id_++, method, params) + '\n';
}

std::uint64_t StratumOutput::request(std::string_view method, const json& params) {
    const std::uint64_t id = next_id_;
    add(Send{make_request(method, params)});
    return id;
}

}  // namespace gpuminer::net
