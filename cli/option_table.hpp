// Tables of commands and options, and the help text made of them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/arguments.hpp"

namespace gpuminer {

/// Groups of options; a command says which of them mean something to it.
enum Group : unsigned {
    kTarget = 1,
    kRange = 2,
    kSearch = 4,
    kDevice = 8,
    kTemperature = 16,
    kBench = 32,
    kFailBelow = 64,
    kExplain = 128,
    kEverywhere = 256,
    kLimit = 512,
    kPool = 1024,
    kSolo = 2048,
    kServer = 4096
};
[[nodiscard]] const char* title_of(Group group);

struct CommandRow {
    Command command;
    const char* name;
    const char* argument;  ///< nullptr: none
    bool several;          ///< any number of it
    unsigned groups;
    const char* description;
};
[[nodiscard]] std::span<const CommandRow> command_rows();
/// Null for no command.
[[nodiscard]] const CommandRow* row_of(std::optional<Command> command);
/// Without a command the embedded job is mined.
inline constexpr unsigned kGroupsWithoutCommand = kTarget | kRange | kSearch | kLimit | kDevice | kTemperature;

struct OptionRow {
    Group group;
    const char* names;  ///< as CLI11 takes them: "-q,--quiet"
    const char* value;  ///< nullptr: a flag
    const char* description;
    bool repeated = false;  ///< may be given several times
};
[[nodiscard]] std::span<const OptionRow> option_rows();

/// For the command, or for the whole program.
[[nodiscard]] std::string help_text(const CommandRow* command);

}  // namespace gpuminer
