// Options of other programs that gpuminer lacks, and their counterparts here.
#pragma once

#include <string>
#include <string_view>

namespace gpuminer {

/// What to do in place of `option` ("--benchmark"), as a half sentence; empty: it is no option that is known.
[[nodiscard]] std::string instead_of(std::string_view option);

}  // namespace gpuminer
