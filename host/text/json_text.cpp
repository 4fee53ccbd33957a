#include "host/text/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/unicode.hpp"

namespace gpuminer {
namespace {

/// By its first byte: most of a document is other ASCII.
bool may_be_escaped(char c) { return static_cast<unsigned char>(c) >= 0x7f; }

bool has_to_be_escaped(const DecodedCharacter& character) {
    return is_invisible(character.point) || (is_control(character.point) && character.point >= 0x7f);
}

void append_escaped(std::string& out, char32_t point) {
    constexpr char32_t kFirstOfTwo = 0x10000;  // from here on in two halves (UTF-16)
    if (point < kFirstOfTwo) {
        out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
        return;
    }
    const std::uint32_t rest = point - kFirstOfTwo;
    out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
}

/// nlohmann's text escapes the control characters below 0x20 alone. Others occur only within strings, where an escape
/// may stand in their place.
std::string with_escapes(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(std::ranges::find_if(text, may_be_escaped) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const DecodedCharacter next = decode_utf8(text);
        if (has_to_be_escaped(next)) {
            append_escaped(out, next.point);
        } else {
            out += text.substr(0, next.size);
        }
        text.remove_prefix(next.size);
    }
    return out;
}

}  // namespace

std::string json_text(const nlohmann::json& value, int indent) {
    return with_escapes(value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
    return with_escapes(value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

nlohmann::ordered_json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace gpuminer
