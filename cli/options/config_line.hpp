// The lines of a configuration file, and refusals of them, with the line as it should read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/toml_file.hpp"

namespace gpuminer {

/// The name of no option. `shown`: it may be said, as no password is likely to be in it.
[[nodiscard]] std::string unknown_name(std::string_view name, bool shown);

/// Of an option that means something on the command line alone.
[[nodiscard]] std::string option_not_for_files(std::string_view name);

/// What is wrong with a line (from 1) that is no TOML: "expected `user = "bc1q..."` (TOML)", or what the option has to
/// say. What may be or hold a password is left out.
struct WrongLine {
    unsigned line = 0;
    std::string sentence;
};
struct ConfigLines {
    std::vector<TomlEntry> entries = {};
    std::vector<WrongLine> wrong = {};
};
/// `all`: the entries of the lines that are TOML, and every line that is none, as far as the lines after it can be told
/// apart. Otherwise the first such line, with which reading ends.
[[nodiscard]] ConfigLines read_config_lines(std::string text, bool all);

}  // namespace gpuminer
