#include "net/stratum/notify.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {

using nlohmann::json;

const json& NotifyReader::next(const char* name) {
    static const json kNull;
    name_ = name;
    const std::size_t at = at_++;
    return params_.is_array() && at < params_.size() ? params_[at] : kNull;
}

void NotifyReader::fail(std::string_view expected) const {
    throw ProtocolError(fmt::format("mining.notify: expected {} as {}", expected, name_));
}

const std::string& NotifyReader::text(const json& value) const {
    if (!value.is_string()) fail("a text");
    return value.get_ref<const std::string&>();
}

Bytes NotifyReader::bytes(const json& value) const {
    const std::string& digits = text(value);
    try {
        require_hex_digits(digits, "hex");
    } catch (const InputError&) {
        fail("hex digits");
    }
    if (digits.size() % 2 != 0) fail("an even number of hex digits");
    Bytes out(digits.size() / 2);
    decode_hex(digits, out);
    return out;
}

Digest NotifyReader::hash(const json& value) const {
    const Bytes raw = bytes(value);
    Digest out{};
    if (raw.size() != out.size()) fail("64 hex digits");
    std::copy(raw.begin(), raw.end(), out.begin());
    return out;
}

Bytes NotifyReader::word(const json& value) const {
    Bytes raw = bytes(value);
    if (raw.size() != 4) fail("8 hex digits");
    return raw;
}

std::uint32_t NotifyReader::number(const json& value) const {
    const std::optional<std::uint32_t> number = parse_hex32(text(value));
    if (!number) fail("1 to 8 hex digits");
    return *number;
}

std::string NotifyReader::read_id() {
    constexpr std::size_t kLongest = 256;
    const json& value = next("job id");
    std::string id = value.is_number_integer() ? value.dump() : text(value);
    if (id.size() > kLongest) fail(fmt::format("at most {} bytes", kLongest));
    return id;
}

bool NotifyReader::read_clean(std::string& oddity) {
    const json& clean = next("clean jobs");
    if (clean.is_null()) return false;
    if (clean.is_boolean()) return clean.get<bool>();
    if (const std::optional<std::int64_t> number = whole_number(clean)) return *number != 0;
    const std::string word = clean.is_string() ? ascii_lower(clean.get_ref<const std::string&>()) : clean.dump();
    if (word.empty() || word == "false" || word == "no") return false;
    if (word != "true" && word != "yes") {
        oddity = fmt::format("mining.notify: expected true or false as clean jobs, got {}: it counts as true",
                             quoted_json(clean));
    }
    return true;
}

std::string NotifyReader::surplus() const {
    if (params_.size() <= at_) return {};
    return fmt::format("mining.notify: expected {} parameters, got {}: what follows is passed over", at_,
                       params_.size());
}

}  // namespace gpuminer::net
