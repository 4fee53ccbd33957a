// The command line as documents show it, which people publish.
#pragma once

#include <string>

namespace gpuminer {

/// The program's name without its folder and its arguments, with what `--help` calls the value of an option in place of
/// the names of files and folders: "gpuminer bench all --json FILE --report F.html". What names a file by @ is "@FILE".
[[nodiscard]] std::string command_to_share(int argc, const char* const* argv);

}  // namespace gpuminer
