// Bounds of JSON texts from outside, checked by brackets, commas and colons before a parser makes anything of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuminer {

/// A value takes a parser some 20 to 120 bytes beside its text, so that bounds of length and of `values` bound memory.
struct JsonBounds {
    std::size_t levels;          ///< of arrays and objects within one another
    std::size_t values;          ///< of any type, at all levels
    std::size_t names = values;  ///< in one object
};

/// The bound that a text exceeds: "at most 32 levels", "at most 1000 values", "at most 128 names in an object"; empty:
/// none. One pass, no longer than to the place where the bound is exceeded or where the text can be no JSON any more:
/// whether it is one is the parser's to say.
[[nodiscard]] std::string exceeded_bound(std::string_view text, const JsonBounds& bounds);

}  // namespace gpuminer
