#include "host/text/text.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/unicode.hpp"

namespace gpuminer {
namespace {

// Not std::isxdigit: that one asks the locale and is undefined for negative chars.
int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_printable(char c) { return c >= 0x20 && c <= 0x7e; }

// False for the second and later bytes of a character.
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

constexpr std::string_view kReplacement = "\ufffd";
constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

std::string printable_with(std::string_view text, bool keep_lines) {
    const auto as_it_is = [keep_lines](char c) { return is_printable(c) || (keep_lines && c == '\n'); };
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        // Most text is ASCII, and lists of results may be long.
        const auto plain =
            static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), as_it_is) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const DecodedCharacter next = decode_utf8(text);
        if (next.valid && is_control(next.point)) {
            out += ' ';
        } else {
            out += !next.valid || is_invisible(next.point) ? kReplacement : text.substr(0, next.size);
        }
        text.remove_prefix(next.size);
    }
    return out;
}

}  // namespace

std::string to_hex(std::span<const std::uint8_t> bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text(2 * bytes.size(), '0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text[2 * i] = kDigits[bytes[i] >> 4];
        text[2 * i + 1] = kDigits[bytes[i] & 15];
    }
    return text;
}

std::string hex8(std::uint32_t value) { return fmt::format("{:08x}", value); }

std::optional<std::uint32_t> parse_hex32(std::string_view digits) {
    if (digits.empty() || digits.size() > 8 || !is_hex(digits)) return std::nullopt;
    std::uint32_t value = 0;
    for (const char digit : digits) value = value << 4 | static_cast<std::uint32_t>(hex_value(digit));
    return value;
}

void require_hex_digits(std::string_view text, std::string_view expected) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (hex_value(text[i]) < 0) {
            throw InputError(fmt::format("expected {}, but character {} is {}", expected, i + 1, shown(text[i])));
        }
    }
}

std::string hex_digits_of(std::string_view text) {
    std::string digits;
    for (const char c : text) {
        if (kWhiteSpace.find(c) == std::string_view::npos) digits += c;
    }
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.erase(0, 2);
    return digits;
}

void decode_hex(std::string_view digits, std::span<std::uint8_t> out) {
    assert(digits.size() == 2 * out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<std::uint8_t>(hex_value(digits[2 * i]) << 4 | hex_value(digits[2 * i + 1]));
    }
}

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return hex_value(c) >= 0; });
}

std::string ascii_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kWhiteSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::string printable(std::string_view text) { return printable_with(text, false); }

std::string printable_lines(std::string_view text) { return printable_with(text, true); }

std::string printable_ascii(std::string_view text, std::size_t limit) {
    std::string out(text.substr(0, limit));
    std::replace_if(
        out.begin(), out.end(), [](char c) { return !is_printable(c); }, '?');
    if (text.size() > limit && limit >= 3) out.replace(limit - 3, 3, "...");
    return out;
}

std::string shown(char character) {
    if (is_printable(character)) return fmt::format("'{}'", character);
    return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(character));
}

std::string quoted_text(std::string_view text, std::size_t limit) {
    std::string out = "'";
    for (const char c : text.substr(0, limit)) {
        if (is_printable(c)) {
            out += c;
        } else {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    out += text.size() > limit ? "...'" : "'";
    return out;
}

std::size_t character_count(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string shortened(std::string_view text, std::size_t longest) {
    if (character_count(text) <= longest) return std::string(text);
    std::size_t end = 0;
    for (std::size_t left = longest; end < text.size(); ++end) {
        if (begins_character(text[end]) && left-- == 1) break;
    }
    return std::string(text.substr(0, end)) + "…";
}

}  // namespace gpuminer
