// Refusals of lines of a configuration file, with the line as it should read.
#pragma once

#include <string>
#include <string_view>

namespace gpuminer {

/// The name of no option. `shown`: it may be said, as no password is likely to be in it.
[[nodiscard]] std::string unknown_option(std::string_view name, bool shown);

/// Of an option that means something on the command line alone.
[[nodiscard]] std::string option_not_for_files(std::string_view name);

/// A sentence about line `number` (from 1) of the text, the first that is no TOML: "expected `user = "bc1q..."`
/// (TOML)", or what the option has to say. What may be or hold a password is left out.
[[nodiscard]] std::string no_toml(std::string_view text, unsigned number);

}  // namespace gpuminer
