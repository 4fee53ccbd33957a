#include "cli/documents/entries.hpp"

#include <algorithm>
#include <string_view>

#include "bench/workloads/workload_list.hpp"
#include "host/block/header.hpp"

namespace gpuminer::documents {
namespace {

/// Of all that HEADER may be, the names of blocks are what can be listed.
Taken header() {
    Taken taken{Values::kHeader, "HEADER", {}};
    for (const EmbeddedBlock& block : embedded_blocks()) taken.words.emplace_back(block.name);
    return taken;
}

Taken value_of(const OptionRow& row) {
    if (row.value == nullptr) return {};
    const std::string_view name = row.value;
    if (row.choices != nullptr) {
        return {name == "LIST" ? Values::kWordList : Values::kWord, row.value, words_of_list(row.choices)};
    }
    if (name == "HEADER") return header();
    if (name == "FILE" || name.starts_with("F.")) return {Values::kFile, row.value, {}};
    return {name == "DIR" ? Values::kFolder : Values::kText, row.value, {}};
}

OptionEntry entry_of(const OptionRow& row) {
    const std::string names = row.names;
    const std::size_t comma = names.find(',');
    return {row.group,      comma != std::string::npos ? names.substr(0, comma) : "",
            long_name(row), row.description,
            row.repeated,   value_of(row)};
}

Taken argument_of(const CommandRow& row) {
    if (row.argument == nullptr) return {};
    const std::string_view name = row.argument;
    if (name == "HEADER") return header();
    if (name == "FILE") return {Values::kFile, row.argument, {}};
    Taken taken{Values::kWord, row.argument, {}};
    if (row.command == Command::kBench) {
        taken.words = bench::workload_names();
        taken.words.emplace_back(bench::kAllWorkloads);
    } else {
        taken.words = {"check", "show", "example"};  // of `config`
    }
    return taken;
}

}  // namespace

std::vector<OptionEntry> all_options() {
    std::vector<OptionEntry> options;
    for (const OptionRow& row : option_rows()) options.push_back(entry_of(row));
    return options;
}

std::vector<CommandEntry> all_commands() {
    std::vector<CommandEntry> commands;
    const std::vector<OptionEntry> options = all_options();
    for (const CommandRow& row : command_rows()) {
        CommandEntry command{row.name, usage_of(row), row.description, row.several, argument_of(row), {}};
        while (command.usage.ends_with(' ')) command.usage.pop_back();
        for (const OptionEntry& option : options) {
            if (((row.groups | kEverywhere) & option.group) != 0) command.options.push_back(option);
        }
        commands.push_back(std::move(command));
    }
    return commands;
}

std::vector<std::string> names_with_value() {
    std::vector<std::string> names;
    for (const OptionEntry& option : all_options()) {
        if (option.value.values == Values::kNone) continue;
        if (!option.short_name.empty()) names.push_back(option.short_name);
        names.push_back(option.long_name);
    }
    return names;
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const CommandRow& row : command_rows()) names.emplace_back(row.name);
    names.insert(names.end(), {"help", "version"});
    return names;
}

}  // namespace gpuminer::documents
