// The tables of commands and options, and the help that is made from them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.hpp"

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
    kServer = 4096,
    kReports = 8192,
    kHttp = 16384,
    kAlert = 32768,
    kAgainst = 65536,
    kEvents = 131072
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
    /// Of an option that may hold a password: the variable to name where a command line has one. nullptr: no such
    /// option.
    const char* environment = nullptr;
    /// The words that it takes, or that its list is made of, as in "static, dynamic". nullptr: too many to be listed.
    const char* choices = nullptr;
};
[[nodiscard]] std::span<const OptionRow> option_rows();
/// Of "threads"; null: there is no such option.
[[nodiscard]] const OptionRow* option_named(std::string_view name);
/// "--pass" of "-p,--pass"
[[nodiscard]] std::string long_name(const OptionRow& row);
/// "a, b", as in OptionRow::choices, as its words; none of nullptr.
[[nodiscard]] std::vector<std::string> words_of_list(const char* list);
/// Whether the message begins with the option's long name or its letter, and a colon.
[[nodiscard]] bool is_about(std::string_view message, const OptionRow& row);
/// Whether it means something on the command line alone, and nothing in a file or the environment: --help, --config, …
[[nodiscard]] bool is_of_command_line(const OptionRow& row);
/// The variables whose value stands in where the command line has none: "GPUMINER_RETRY_PAUSE". Empty: none does, as
/// for flags and for what one search is about.
[[nodiscard]] std::vector<std::string> variables_of(const OptionRow& row);
/// The options that set the target, of which one may be given.
[[nodiscard]] std::span<const char* const> target_options();

/// What may follow a command's name, with a space at its end: "[WORKLOAD…] ".
[[nodiscard]] std::string usage_of(const CommandRow& row);
/// For the command, or for the whole program.
[[nodiscard]] std::string help_text(const CommandRow* command);

}  // namespace gpuminer
