// The generator of zsh's completion script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents/completions.hpp"
#include "cli/documents/entries.hpp"

namespace gpuminer::documents {
namespace {

constexpr const char* kZshBegin = R"zsh(#compdef gpuminer
# zsh completion of gpuminer, made from the tables of its command line.

_gpuminer() {{
    local -a options arguments
    local command i
    for ((i = 2; i < CURRENT; ++i)); do
        case $words[i] in
            ({})
                ((++i))
                ;;
            ({})
                command=$words[i]
                break
                ;;
        esac
    done
    case $command in
)zsh";

/// In single quotes; with a backslash before each of `specials`.
std::string zsh_quoted(const std::string& text, const char* specials) {
    std::string result = "'";
    for (const char c : text) {
        if (std::string_view(specials).find(c) != std::string_view::npos) result += '\\';
        result += c;
        if (c == '\'') result += "\\''";
    }
    return result + '\'';
}

/// What _arguments does for the value: "(static dynamic)".
std::string zsh_action(const Taken& taken) {
    switch (taken.values) {
        case Values::kNone:
        case Values::kText: return " ";
        case Values::kFile: return "_files";
        case Values::kFolder: return "_files -/";
        case Values::kWordList: return fmt::format("_sequence compadd - {}", fmt::join(taken.words, " "));
        case Values::kWord:
        case Values::kHeader: return fmt::format("({})", fmt::join(taken.words, " "));
    }
    return " ";
}

/// The option as _arguments wants it, once for each of its names.
std::string zsh_option(const OptionEntry& option) {
    std::string text;
    const bool takes_value = option.value.values != Values::kNone;
    for (const std::string& name : {option.short_name, option.long_name}) {
        if (name.empty()) continue;
        std::string spec;
        if (option.repeated) {
            spec = "*";
        } else if (!option.short_name.empty()) {
            spec = fmt::format("({} {})", option.short_name, option.long_name);
        }
        spec += name;
        if (takes_value) spec += name.starts_with("--") ? "=" : "+";
        text += "                " + zsh_quoted(spec, "") + "'['" + zsh_quoted(option.description, "\\[]:") + "']'";
        if (takes_value) text += zsh_quoted(fmt::format(":{}:{}", option.value.name, zsh_action(option.value)), "");
        text += "\n";
    }
    return text;
}

std::string zsh_options(const std::vector<OptionEntry>& options) {
    std::string text = "            options=(\n";
    for (const OptionEntry& option : options) text += zsh_option(option);
    return text + "            )\n";
}

}  // namespace

std::string zsh_completion() {
    std::string text = fmt::format(kZshBegin, fmt::join(names_with_value(), "|"), fmt::join(command_names(), "|"));
    std::string descriptions;
    for (const CommandEntry& command : all_commands()) {
        text += fmt::format("        ({})\n{}", command.name, zsh_options(command.options));
        if (command.argument.values != Values::kNone) {
            text += fmt::format(
                "            arguments=({})\n",
                zsh_quoted(fmt::format("*:{}:{}", command.argument.name, zsh_action(command.argument)), ""));
        }
        text += "            ;;\n";
        descriptions += "                " + zsh_quoted(command.name + ":" + command.description, "") + "\n";
    }
    return text + fmt::format(
                      "        (*)\n{}            arguments=('*: : ')\n            ;;\n    esac\n"
                      "    if [[ -z $command ]]; then\n        arguments=('1: :->command')\n    else\n"
                      "        arguments=(\"1: :($command)\" $arguments)\n    fi\n"
                      "    local context state state_descr line\n    typeset -A opt_args\n"
                      "    _arguments -s $options $arguments && return\n"
                      "    if [[ $state == command ]]; then\n        local -a commands=(\n{}"
                      "                'help:print the help, or that for one command'\n"
                      "                'version:print the version'\n        )\n"
                      "        _describe command commands\n    fi\n}}\n\n"
                      "if [[ $funcstack[1] == _gpuminer ]]; then\n    _gpuminer \"$@\"\nelse\n"
                      "    compdef _gpuminer gpuminer\nfi\n",
                      zsh_options(all_options()), descriptions);
}

}  // namespace gpuminer::documents
