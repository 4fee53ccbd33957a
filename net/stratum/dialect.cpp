#include "net/stratum/dialect.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/stratum/message.hpp"
#include "verushash/algorithm.hpp"

namespace gpuminer::net {

using nlohmann::json;

Extranonce read_extranonce(const char* where, const json& extranonce1, const json& extranonce2_size) {
    if (!extranonce1.is_string()) throw ProtocolError(fmt::format("{}: expected a text as extranonce1", where));
    const auto& digits = extranonce1.get_ref<const std::string&>();
    if (digits.size() > 2 * kLongestExtranonce || digits.size() % 2 != 0 || !is_hex(digits)) {
        throw ProtocolError(fmt::format("{}: expected 0 to {} bytes in hex as extranonce1, got {}", where,
                                        kLongestExtranonce, quoted_text(digits)));
    }
    const std::optional<std::int64_t> size = whole_number(extranonce2_size);
    if (!size || *size < 0 || *size > std::int64_t{kLongestExtranonce}) {
        throw ProtocolError(fmt::format("{}: expected 0 to {} as the size of extranonce2, got {}", where,
                                        kLongestExtranonce, quoted_json(extranonce2_size)));
    }
    Extranonce extranonce;
    extranonce.extranonce1.resize(digits.size() / 2);
    decode_hex(digits, extranonce.extranonce1);
    extranonce.extranonce2_size = static_cast<unsigned>(*size);
    return extranonce;
}

std::optional<std::uint32_t> read_mask(const json& value) {
    if (!value.is_string()) return std::nullopt;
    return parse_hex32(value.get_ref<const std::string&>());
}

namespace {

// A JSON number, without a fraction where the value is whole.
json number(double value) {
    constexpr double kExact = 9007199254740992;  // 2^53
    if (value == std::floor(value) && value < kExact) return static_cast<std::int64_t>(value);
    return value;
}

}  // namespace

json configure_params(std::optional<double> difficulty) {
    json extensions = {"version-rolling", "subscribe-extranonce"};
    json values = {{"version-rolling.mask", hex8(kAskedVersionBits)}, {"version-rolling.min-bit-count", 1}};
    // A whole number: a Stratum V2 translator closes the connection on any other.
    const double minimum = std::floor(difficulty.value_or(0));
    if (minimum >= 1) {
        extensions.push_back("minimum-difficulty");
        values["minimum-difficulty.value"] = number(minimum);
    }
    return json::array({extensions, values});
}

json subscribe_params(const std::string& agent, const std::string& session) {
    json params = json::array({agent});
    if (!session.empty()) params.push_back(session);
    return params;
}

json suggest_difficulty_params(double difficulty) { return json::array({number(difficulty)}); }

namespace {

bool is_host_name(const std::string& text) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:[]";
    return text.size() <= 253 && text.find_first_not_of(kAllowed) == std::string::npos;
}

}  // namespace

const json& parameter(const json& params, std::size_t at) {
    static const json kNull;
    return params.is_array() && at < params.size() ? params[at] : kNull;
}

std::optional<double> read_difficulty(const json& params) {
    const std::optional<double> difficulty = real_number(parameter(params, 0));
    return difficulty && *difficulty > 0 ? difficulty : std::nullopt;
}

std::optional<std::uint32_t> read_version_mask(const json& params) { return read_mask(parameter(params, 0)); }

// [], [host], [host, port], [host, port, seconds].
std::optional<ReconnectRequested> read_reconnect(const json& params) {
    constexpr std::int64_t kLongestWait = 3600;
    const json& host = parameter(params, 0);
    const json& port = parameter(params, 1);
    ReconnectRequested request;
    if (host.is_string()) request.host = host.get<std::string>();
    const std::int64_t number = port.is_null() || port == json("") ? 0 : whole_number(port).value_or(-1);
    if (!(host.is_string() || host.is_null()) || !is_host_name(request.host) || number < 0 || number > 65535) {
        return std::nullopt;
    }
    request.port = static_cast<std::uint16_t>(number);
    const std::int64_t wait = whole_number(parameter(params, 2)).value_or(0);
    request.wait = std::chrono::seconds(std::clamp<std::int64_t>(wait, 0, kLongestWait));
    return request;
}

std::optional<OperatorMessage> read_show_message(const json& params) {
    const json& text = params.is_string() ? params : parameter(params, 0);
    if (!text.is_string()) return std::nullopt;
    return OperatorMessage{printable_ascii(text.get_ref<const std::string&>())};
}

namespace {

bool is_true(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && *found == json(true);
}

struct Words {
    std::string_view part;  // lower case, without blanks, '-' and '_'
    RefusalKind kind;
};

// The first that is part of a refusal's text decides. Those without a name are said by most pools.
constexpr Words kWords[] = {
    {"duplicate", RefusalKind::kDuplicate},
    {"alreadysubmitted", RefusalKind::kDuplicate},
    {"stale", RefusalKind::kStale},
    {"jobnotfound", RefusalKind::kStale},
    {"unknownjob", RefusalKind::kStale},
    {"unknownwork", RefusalKind::kStale},  // eloipool, DATUM
    {"invalidjob", RefusalKind::kStale},   // ckpool, yiimp, Stratum V2
    {"oldjob", RefusalKind::kStale},
    {"timetoo", RefusalKind::kOther},      // DATUM, with the code of stale shares; "ntime too low"
    {"noncetoo", RefusalKind::kOther},     // "nonce too low"
    {"timerolling", RefusalKind::kOther},  // yiimp, with the code of low difficulty
    {"lowdiff", RefusalKind::kLowDifficulty},
    {"toolow", RefusalKind::kLowDifficulty},  // public-pool, Stratum V2
    {"abovetarget", RefusalKind::kLowDifficulty},
    {"highhash", RefusalKind::kLowDifficulty},  // eloipool, DATUM, as the next one
    {"hnotzero", RefusalKind::kLowDifficulty},
    {"unauthori", RefusalKind::kUnauthorised},
    {"notauthori", RefusalKind::kUnauthorised},
    {"notsubscribed", RefusalKind::kUnauthorised},
    {"unknownuser", RefusalKind::kUnauthorised},      // eloipool
    {"invalidusername", RefusalKind::kUnauthorised},  // BTCPool
    {"workermismatch", RefusalKind::kUnauthorised},   // ckpool
    {"invalidchannel", RefusalKind::kUnauthorised},   // Stratum V2
    {"extranonce", RefusalKind::kOther},              // yiimp, with the code of unauthorised workers
    {"invalidshare", RefusalKind::kOther},            // yiimp, with the code of unsubscribed ones
};

// By the words: they say what has happened, while pools give the codes from 20 to 27 different meanings. By the code
// where nothing is known of the words.
RefusalKind kind_of(const StratumRefusal& refusal) {
    std::string text = ascii_lower(refusal.text);
    std::erase_if(text, [](char c) { return c == ' ' || c == '-' || c == '_'; });
    for (const Words& words : kWords) {
        if (text.find(words.part) != std::string::npos) return words.kind;
    }
    switch (refusal.code.value_or(20)) {
        case 21: return RefusalKind::kStale;
        case 22: return RefusalKind::kDuplicate;
        case 23: return RefusalKind::kLowDifficulty;
        case 24:
        case 25: return RefusalKind::kUnauthorised;  // 25: the connection is not subscribed
        default: return RefusalKind::kOther;
    }
}

}  // namespace

ConfigureReply read_configure_reply(const StratumMessage& reply) {
    ConfigureReply granted;
    const json& result = reply.result;
    if (reply.refusal || !result.is_object()) return granted;
    granted.subscribe_extranonce = is_true(result, "subscribe-extranonce");
    granted.version_rolling = is_true(result, "version-rolling");
    if (granted.version_rolling) {
        granted.version_mask = read_mask(result.value("version-rolling.mask", json())).value_or(0);
    }
    return granted;
}

std::string session_id(const json& subscriptions) {
    constexpr std::size_t kLongest = 256;
    const auto id_of = [](const json& pair) -> std::string {
        if (!pair.is_array() || pair.size() < 2 || pair[0] != json("mining.notify") || !pair[1].is_string()) return {};
        return pair[1].get<std::string>();
    };
    std::string id = id_of(subscriptions);
    if (id.empty() && subscriptions.is_array()) {
        for (const json& pair : subscriptions) {
            if (id.empty()) id = id_of(pair);
        }
    }
    return id.size() <= kLongest ? id : std::string();
}

ShareReply refused_share(const StratumRefusal& refusal) {
    ShareReply read;
    read.code = refusal.code;
    read.reason = refusal.sentence();
    read.kind = kind_of(refusal);
    read.verdict = read.kind == RefusalKind::kStale ? SubmitVerdict::kStale : SubmitVerdict::kRejected;
    return read;
}

ShareReply read_share_reply(const StratumMessage& reply) {
    if (reply.refusal) return refused_share(*reply.refusal);
    ShareReply read;
    read.verdict = SubmitVerdict::kAccepted;
    return read;
}

const StratumDialect& dialect_of(const Algorithm& algorithm) {
    return &algorithm == &kVerusHash ? kVerusDialect : kBitcoinDialect;
}

}  // namespace gpuminer::net
