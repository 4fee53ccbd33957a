// A line of a configuration file that is no TOML, as it should read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_table.hpp"

namespace gpuminer {

/// Without the quotes around it, or one that has no counterpart.
[[nodiscard]] std::string_view without_quotes(std::string_view value);

/// What the option says against these values when it stands alone on a command line; empty: it takes them. Where only
/// one that opens something could tell (a device, a file), it is not asked.
[[nodiscard]] std::string refusal_of(const OptionRow& row, const std::vector<std::string>& values);

/// Of an option whose line has `text` after its sign: "expected `user = "bc1q..."` (TOML)", where this line is TOML and
/// the option takes its value; else what the option has to say. What may be or hold a password is left out.
[[nodiscard]] std::string expected_line(const OptionRow& row, std::string_view text);

}  // namespace gpuminer
