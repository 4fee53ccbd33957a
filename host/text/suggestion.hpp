// Suggestions for mistyped names ("did you mean …?").
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpuminer {

/// The one of `known` that `word` is most like, whatever the case: a name that begins with it, or one that is few
/// insertions, deletions, replacements and exchanges of neighbours away (one for four letters). Empty: none is.
[[nodiscard]] std::string nearest_name(std::string_view word, std::span<const std::string> known);

/// "; did you mean NAME?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace gpuminer
