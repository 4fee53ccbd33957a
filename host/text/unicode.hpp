// Unicode: UTF-8 taken apart, and the characters that a reader does not see.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpuminer {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

/// The first character of a text.
struct DecodedCharacter {
    char32_t point = kReplacementCharacter;
    std::size_t size = 1;  ///< bytes
    bool valid = false;    ///< false: the first byte begins no character (RFC 3629)
};
/// `text` is not empty.
[[nodiscard]] DecodedCharacter decode_utf8(std::string_view text);

/// Control characters: a terminal takes some of them as commands (C0, delete, C1).
[[nodiscard]] constexpr bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7f && point < 0xa0); }

/// Characters that are not seen, but change how others are read, or hide: bidirectional controls, zero-width ones, line
/// and paragraph separators, tags, variation selectors. (Of Unicode's categories Cf, Zl and Zp and its property
/// Default_Ignorable_Code_Point, Unicode 16.)
[[nodiscard]] bool is_invisible(char32_t point);

}  // namespace gpuminer
