// Configuration files: where they are by default, and an example of one.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/output.hpp"

namespace gpuminer {

/// The user's ($XDG_CONFIG_HOME/gpuminer/config.toml, or ~/.config/…), which prevails, and the system's.
[[nodiscard]] std::vector<std::string> default_config_files(const std::string& of_system);

/// Every option with its description, all of them comments.
[[nodiscard]] std::string config_example();

/// The command `config`. Throws InputError.
int print_config(const Arguments& arguments, Output& output);

}  // namespace gpuminer
