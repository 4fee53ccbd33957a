// Configuration files: where they are by default, and an example of one.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"

namespace gpuminer {

/// The user's ($XDG_CONFIG_HOME/gpuminer/config.toml, or ~/.config/…), which prevails, and the system's.
[[nodiscard]] std::vector<std::string> default_config_files(const std::string& of_system);

/// A value as TOML has it, for a person to replace: the default where it is a word, or what stands for one in the help.
[[nodiscard]] std::string example_value(const OptionRow& row);

/// Every option with its description, all of them comments.
[[nodiscard]] std::string config_example();

}  // namespace gpuminer
