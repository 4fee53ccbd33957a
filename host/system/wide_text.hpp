// Conversions between UTF-8 and UTF-16, which Windows takes.
#pragma once

#include <string>
#include <string_view>

namespace gpuminer {

// What is no character, as half of a pair of surrogates, becomes U+FFFD.
[[nodiscard]] std::string utf8_of(std::wstring_view text);
[[nodiscard]] std::wstring utf16_of(std::string_view text);

}  // namespace gpuminer
