// The tables of the command line as man pages and completions need them: what each option and each argument takes.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"

namespace gpuminer::documents {

enum class Values { kNone, kText, kFile, kFolder, kWord, kWordList, kHeader };

/// What may stand in the place of a value or an argument.
struct Taken {
    Values values = Values::kNone;
    std::string name;  ///< as the help has it: "FILE"
    std::vector<std::string> words;
};

struct OptionEntry {
    Group group = kEverywhere;
    std::string short_name;  ///< "-o"; empty: none
    std::string long_name;   ///< "--url"
    std::string description;
    bool repeated = false;
    Taken value;
};

struct CommandEntry {
    std::string name;   ///< empty: without a command
    std::string usage;  ///< "HEADER"; empty: nothing
    std::string description;
    bool several = false;  ///< any number of arguments
    Taken argument;
    std::vector<OptionEntry> options;  ///< those that mean something to it
};

[[nodiscard]] std::vector<OptionEntry> all_options();
/// In the order of the help. `help` and `version`, which stand for --help and --version, are not among them.
[[nodiscard]] std::vector<CommandEntry> all_commands();
/// The names of options that take a value: "-o", "--url", …
[[nodiscard]] std::vector<std::string> names_with_value();
/// The names of all commands, `help` and `version` with them.
[[nodiscard]] std::vector<std::string> command_names();

}  // namespace gpuminer::documents
