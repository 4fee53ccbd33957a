// Text: hex digits in and out, letters and white space, and other people's text made safe to print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuminer {

/// Two lower-case digits a byte, in the order of the bytes.
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
/// A number in eight lower-case digits, the most significant first.
[[nodiscard]] std::string hex8(std::uint32_t value);
/// And back: 1 to 8 hex digits, either case; empty for anything else.
[[nodiscard]] std::optional<std::uint32_t> parse_hex32(std::string_view digits);

/// Throws InputError "expected <expected>, but character N is 'x'" (N counts from 1) for the first character
/// that is not a hex digit.
void require_hex_digits(std::string_view text, std::string_view expected);

/// What stands for hex digits in what people give: without white space and without a 0x before them.
[[nodiscard]] std::string hex_digits_of(std::string_view text);

/// `digits`: exactly two hex digits for each byte of `out`; either case.
void decode_hex(std::string_view digits, std::span<std::uint8_t> out);

/// Nothing but hex digits, either case; true of an empty text.
[[nodiscard]] bool is_hex(std::string_view text);

/// With a…z for A…Z; other bytes as they are, in every locale.
[[nodiscard]] std::string ascii_lower(std::string_view text);
/// Without white space (ASCII's: blank, tab, newline, …) at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// Text of others (a server, a driver, a file), in the forms in which it may reach a terminal or a file of ours.

/// On one line: valid UTF-8, with a blank in place of each control character and U+FFFD in place of what is invisible
/// (unicode.hpp) or no UTF-8.
[[nodiscard]] std::string printable(std::string_view text);
/// The same with its line breaks ('\n').
[[nodiscard]] std::string printable_lines(std::string_view text);
/// Printable ASCII (else '?'), no longer than `limit`: for what a server says.
[[nodiscard]] std::string printable_ascii(std::string_view text, std::size_t limit = 200);
/// One character as a message may show it: 'g', or "byte 0x00" where it is not printable ASCII.
[[nodiscard]] std::string shown(char character);
/// Text in single quotes, at most `limit` bytes of it, with unprintable bytes as \xNN.
[[nodiscard]] std::string quoted_text(std::string_view text, std::size_t limit = 40);

/// Number of characters of UTF-8: columns on a terminal. (Wide East Asian characters are not expected here.)
[[nodiscard]] std::size_t character_count(std::string_view text);
/// At most `longest` (1 or more) characters of UTF-8; the last is "…" where some are missing.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest);

}  // namespace gpuminer
