// The manual pages of the program and of each command, in the language of man(7).
#pragma once

#include <string>
#include <vector>

namespace gpuminer::documents {

struct ManPage {
    std::string name;  ///< "gpuminer", "gpuminer-pool"
    std::string text;
};
/// All of section 1.
[[nodiscard]] std::vector<ManPage> man_pages();

}  // namespace gpuminer::documents
