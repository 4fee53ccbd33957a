// The commands and options of POSIX systems: all.
#include "cli/options/available.hpp"

namespace gpuminer {

std::span<const CommandRow> available(std::span<const CommandRow> commands) { return commands; }
std::span<const OptionRow> available(std::span<const OptionRow> options) { return options; }

std::string_view places_of_config() { return "~/.config/gpuminer/config.toml, /etc/gpuminer/config.toml"; }

std::string_view system_note() { return ""; }

}  // namespace gpuminer
