// The program's algorithms, one of which a command line selects.
#pragma once

#include <span>
#include <string>

#include "cli/options/arguments.hpp"
#include "host/block/algorithm.hpp"

namespace gpuminer {

[[nodiscard]] std::span<const Algorithm* const> all_algorithms();

/// Whether --algorithm is given, anywhere.
[[nodiscard]] bool names_algorithm(const Arguments& arguments);

/// What --algorithm says; where a file or the environment says it to a command that is about Bitcoin alone, SHA-256d.
/// Throws InputError for a name that is none, for a command that the algorithm is not for, and for options that it has
/// no use for.
[[nodiscard]] const Algorithm& read_algorithm(const Arguments& arguments);

/// How a command's files are named that outlive it, such as its journal: "pool", "pool-verushash". Those of two
/// algorithms stay apart, as their difficulties cannot be compared or added.
[[nodiscard]] std::string state_name(const std::string& command, const Algorithm& algorithm);

}  // namespace gpuminer
