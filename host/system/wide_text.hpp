// Conversions between Windows' own texts, which are UTF-16, and UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace gpuminer {

// What is no character, as half of a pair of surrogates, becomes U+FFFD.
[[nodiscard]] std::string utf8_of(std::wstring_view text);
[[nodiscard]] std::wstring utf16_of(std::string_view text);

}  // namespace gpuminer
