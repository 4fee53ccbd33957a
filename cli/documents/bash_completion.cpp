// The generator of bash's completion script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents/completions.hpp"
#include "cli/documents/entries.hpp"

namespace gpuminer::documents {
namespace {

constexpr const char* kBashHead = R"bash(# bash completion of gpuminer, made from the tables of its command line.

# Candidates out of the words given.
_gpuminer_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

# The same for the last part of a list with commas.
_gpuminer_list() {
    local before=
    if [[ $current == *,* ]]; then before=${current%,*},; fi
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
}

# Candidates out of files, or folders with -d.
_gpuminer_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "${1:--f}" -- "$current")
}

# A HEADER: the names of blocks, or a file after an @.
_gpuminer_header() {
    if [[ $current == @* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -P @ -f -- "${current#@}")
    else
        _gpuminer_words "$1"
    fi
}

)bash";

constexpr const char* kBashBegin = R"bash(_gpuminer() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} command='' i
    COMPREPLY=()
    # "--isa=a" comes as three words, or as two where nothing follows the "=".
    if [[ $current == = ]]; then
        current=''
    elif [[ $option == = ]]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${{COMP_WORDS[i]}} in
            {})
                if [[ ${{COMP_WORDS[i + 1]}} == = ]]; then ((++i)); fi
                ((++i))
                ;;
            {})
                command=${{COMP_WORDS[i]}}
                break
                ;;
        esac
    done
)bash";

std::string bash_names(const OptionEntry& option) {
    return option.short_name.empty() ? option.long_name : fmt::format("{} | {}", option.short_name, option.long_name);
}

/// The command that fills COMPREPLY; empty: nothing can be offered.
std::string bash_candidates(const Taken& taken) {
    const std::string words = fmt::format("{}", fmt::join(taken.words, " "));
    switch (taken.values) {
        case Values::kNone:
        case Values::kText: return "";
        case Values::kFile: return "_gpuminer_files";
        case Values::kFolder: return "_gpuminer_files -d";
        case Values::kWord: return fmt::format("_gpuminer_words '{}'", words);
        case Values::kWordList: return fmt::format("_gpuminer_list '{}'", words);
        case Values::kHeader: return fmt::format("_gpuminer_header '{}'", words);
    }
    return "";
}

/// The values of options.
std::string bash_values() {
    std::string text = "    case $option in\n";
    std::vector<std::string> others;
    for (const OptionEntry& option : all_options()) {
        if (option.value.values == Values::kNone) continue;
        if (const std::string command = bash_candidates(option.value); !command.empty()) {
            text += fmt::format("        {})\n            {}\n            return\n            ;;\n", bash_names(option),
                                command);
        } else {
            others.push_back(bash_names(option));
        }
    }
    return text + fmt::format("        {}) return ;;\n    esac\n", fmt::join(others, " | "));
}

std::string bash_options(const std::string& pattern, const std::vector<OptionEntry>& options) {
    std::vector<std::string> names;
    for (const OptionEntry& option : options) {
        names.push_back(option.long_name);
        if (!option.short_name.empty()) names.push_back(option.short_name);
    }
    return fmt::format("            {}) _gpuminer_words '{}' ;;\n", pattern, fmt::join(names, " "));
}

/// The names of options, and arguments, by command.
std::string bash_words() {
    const std::vector<CommandEntry> commands = all_commands();
    std::string text = "    if [[ $current == -* ]]; then\n        case $command in\n";
    for (const CommandEntry& command : commands) text += bash_options(command.name, command.options);
    text += bash_options("*", all_options()) + "        esac\n        return\n    fi\n    case $command in\n";
    const std::string names = fmt::format("{}", fmt::join(command_names(), " "));
    text += fmt::format("        '' | help) _gpuminer_words '{}' ;;\n", names);
    for (const CommandEntry& command : commands) {
        if (const std::string line = bash_candidates(command.argument); !line.empty()) {
            text += fmt::format("        {}) {} ;;\n", command.name, line);
        }
    }
    return text + "    esac\n}\n";
}

}  // namespace

std::string bash_completion() {
    return kBashHead +
           fmt::format(kBashBegin, fmt::join(names_with_value(), " | "), fmt::join(command_names(), " | ")) +
           bash_values() + bash_words() + "complete -F _gpuminer gpuminer\n";
}

}  // namespace gpuminer::documents
