// The commands and options of the tables that this system's program has.
#pragma once

#include <span>
#include <string_view>

#include "cli/options/option_table.hpp"

namespace gpuminer {

[[nodiscard]] std::span<const CommandRow> available(std::span<const CommandRow> commands);
[[nodiscard]] std::span<const OptionRow> available(std::span<const OptionRow> options);

/// Of configuration files, for people: "a, b".
[[nodiscard]] std::string_view places_of_config();

/// What users of this system's program are to be told of it: a line, with its end. Empty: nothing.
[[nodiscard]] std::string_view system_note();

}  // namespace gpuminer
