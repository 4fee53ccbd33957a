// The algorithms that this program knows, of which a command line asks for one.
#pragma once

#include "cli/arguments.hpp"
#include "host/block/algorithm.hpp"

namespace gpuminer {

/// What --algorithm says. Throws InputError for a name that is none, for a command that the algorithm is not for, and
/// for options that it has no use for.
[[nodiscard]] const Algorithm& read_algorithm(const Arguments& arguments);

}  // namespace gpuminer
