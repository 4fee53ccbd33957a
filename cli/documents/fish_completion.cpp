// The generator of fish's completion script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents/completions.hpp"
#include "cli/documents/entries.hpp"

namespace gpuminer::documents {
namespace {

constexpr const char* kFishBegin = R"fish(# fish completion of gpuminer, made from the tables of its command line.

# Prints the command that the line has; fails where it has none yet.
function __gpuminer_command
    set -l words (commandline -opc)
    set -l value no
    for word in $words[2..]
        if test $value = yes
            set value no
            continue
        end
        switch $word
            case {}
                set value yes
            case {}
                echo $word
                return 0
        end
    end
    return 1
end

# Whether an option of these commands means something here: that of any, where there is none yet.
function __gpuminer_takes
    set -l command (__gpuminer_command)
    or return 0
    contains -- $command $argv
end

function __gpuminer_in
    set -l command (__gpuminer_command)
    and contains -- $command $argv
end

complete -c gpuminer -f
)fish";

std::string fish_quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + '\'';
}

/// The options of `complete` for what an option or an argument takes.
std::string fish_candidates(const Taken& taken) {
    const std::string words = fmt::format("{}", fmt::join(taken.words, " "));
    switch (taken.values) {
        case Values::kNone: return "";
        case Values::kText: return " -x";
        case Values::kFile: return " -r -F";
        case Values::kFolder: return " -x -a '(__fish_complete_directories)'";
        case Values::kWordList: return fmt::format(" -x -a '(__fish_append , {})'", words);
        case Values::kWord:
        case Values::kHeader: return fmt::format(" -x -a '{}'", words);
    }
    return "";
}

std::string fish_option(const OptionEntry& option, const std::vector<CommandEntry>& commands) {
    std::vector<std::string> users;
    for (const CommandEntry& command : commands) {
        for (const OptionEntry& any : command.options) {
            if (any.long_name == option.long_name) users.push_back(command.name);
        }
    }
    std::string line = "complete -c gpuminer";
    if (users.size() < commands.size()) line += fmt::format(" -n '__gpuminer_takes {}'", fmt::join(users, " "));
    if (!option.short_name.empty()) line += " -s " + option.short_name.substr(1);
    return line + " -l " + option.long_name.substr(2) + fish_candidates(option.value) + " -d " +
           fish_quoted(option.description) + "\n";
}

std::string fish_argument(const CommandEntry& command) {
    const std::string line = fmt::format("complete -c gpuminer -n '__gpuminer_in {}'", command.name);
    if (command.argument.values == Values::kFile) return line + " -F\n";
    return fmt::format("{} -a '{}' -d {}\n", line, fmt::join(command.argument.words, " "), command.argument.name);
}

}  // namespace

std::string fish_completion() {
    const std::vector<CommandEntry> commands = all_commands();
    std::string text = fmt::format(kFishBegin, fmt::join(names_with_value(), " "), fmt::join(command_names(), " "));
    const auto add_command = [&](const std::string& name, const std::string& description) {
        text += fmt::format("complete -c gpuminer -n 'not __gpuminer_command >/dev/null' -a {} -d {}\n", name,
                            fish_quoted(description));
    };
    for (const CommandEntry& command : commands) add_command(command.name, command.description);
    add_command("help", "print the help, or that for one command");
    add_command("version", "print the version");
    for (const OptionEntry& option : all_options()) text += fish_option(option, commands);
    for (const CommandEntry& command : commands) {
        if (command.argument.values != Values::kNone) text += fish_argument(command);
    }
    return text;
}

}  // namespace gpuminer::documents
