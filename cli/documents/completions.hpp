// Completions of the command line for shells, as texts of their scripts.
#pragma once

#include <string>

namespace gpuminer::documents {

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

}  // namespace gpuminer::documents
