#include "net/bitcoin/template_fields.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {

std::string shown_json(const nlohmann::json& value) {
    if (value.is_string()) return quoted_text(value.get_ref<const std::string&>());
    if (value.is_structured()) return value.is_array() ? "a list" : "an object";
    return value.dump();  // null, a truth value or a number
}

TemplateFields::TemplateFields(const nlohmann::json& object, std::string what)
    : object_(object), what_(std::move(what)) {
    if (!object.is_object()) {
        throw NetworkError(fmt::format("{}: expected a JSON object, got {}", what_, shown_json(object)));
    }
}

void TemplateFields::fail(const char* name, std::string_view expected, const nlohmann::json& came) const {
    throw NetworkError(
        fmt::format("{}: expected {} as {}, got {}", what_, expected, quoted_text(name), shown_json(came)));
}

bool TemplateFields::has(const char* name) const {
    const auto member = object_.find(name);
    return member != object_.end() && !member->is_null();
}

const nlohmann::json& TemplateFields::at(const char* name) const {
    const auto member = object_.find(name);
    if (member == object_.end()) throw NetworkError(fmt::format("{}: {} is missing", what_, quoted_text(name)));
    return *member;
}

std::int64_t TemplateFields::number(const char* name, std::int64_t least, std::int64_t most) const {
    const nlohmann::json& value = at(name);
    const bool fits = value.is_number_unsigned() ? std::in_range<std::int64_t>(value.get<std::uint64_t>())
                                                 : value.is_number_integer();
    const std::int64_t number = fits ? value.get<std::int64_t>() : 0;
    if (!fits || number < least || number > most) {
        fail(name, fmt::format("a whole number from {} to {}", least, most), value);
    }
    return number;
}

std::string TemplateFields::text(const char* name, std::size_t longest) const {
    const nlohmann::json& value = at(name);
    if (!value.is_string() || value.get_ref<const std::string&>().size() > longest) {
        fail(name, fmt::format("a text of at most {} bytes", longest), value);
    }
    return value.get<std::string>();
}

Bytes TemplateFields::bytes(const char* name, std::size_t longest) const {
    const nlohmann::json& value = at(name);
    const std::string* const digits = value.is_string() ? &value.get_ref<const std::string&>() : nullptr;
    if (digits == nullptr || digits->size() % 2 != 0 || digits->size() / 2 > longest || !is_hex(*digits)) {
        fail(name, fmt::format("hex digits of at most {} bytes", longest), value);
    }
    Bytes bytes(digits->size() / 2);
    decode_hex(*digits, bytes);
    return bytes;
}

Hash256 TemplateFields::hash(const char* name) const {
    const nlohmann::json& value = at(name);
    Hash256 hash;
    const std::string* const digits = value.is_string() ? &value.get_ref<const std::string&>() : nullptr;
    if (digits == nullptr || digits->size() != 2 * hash.bytes.size() || !is_hex(*digits)) {
        fail(name, "64 hex digits", value);
    }
    decode_hex(*digits, hash.bytes);
    return hash;
}

const nlohmann::json& TemplateFields::array(const char* name, std::size_t longest) const {
    const nlohmann::json& value = at(name);
    if (!value.is_array() || value.size() > longest) fail(name, fmt::format("a list of at most {}", longest), value);
    return value;
}

const nlohmann::json& TemplateFields::object(const char* name, std::size_t longest) const {
    const nlohmann::json& value = at(name);
    if (!value.is_object() || value.size() > longest) {
        fail(name, fmt::format("an object of at most {} members", longest), value);
    }
    return value;
}

}  // namespace gpuminer::net
