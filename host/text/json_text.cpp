#include "host/text/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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

namespace {

/// Where the string ends whose opening quotation mark is at `begin`: its closing one, or the end of the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return at;
}

bool is_white_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::string exceeded_bound(std::string_view text, const JsonBounds& bounds) {
    std::vector<std::size_t> names;  // so far, of each array and object that is open
    std::size_t values = 1;          // the text as a whole
    bool empty = false;              // an array or object was opened, and nothing has come since
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_white_space(c)) continue;
        const bool closes = c == ']' || c == '}';
        if ((empty && !closes) || c == ',') ++values;  // each is the first of its list, or follows a comma
        if (values > bounds.values) return fmt::format("at most {} values", bounds.values);
        empty = false;
        if (c == '"') {
            i = end_of_string(text, i);
        } else if (c == '[' || c == '{') {
            if (names.size() == bounds.levels) return fmt::format("at most {} levels", bounds.levels);
            names.push_back(0);
            empty = true;
        } else if (closes) {
            if (names.empty()) break;
            names.pop_back();
        } else if (c == ':' && !names.empty() && ++names.back() > bounds.names) {
            return fmt::format("at most {} names in an object", bounds.names);
        }
    }
    return "";
}

}  // namespace gpuminer
