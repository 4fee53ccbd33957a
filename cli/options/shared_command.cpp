#include "cli/options/shared_command.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "bench/workloads/workload_list.hpp"
#include "cli/options/option_table.hpp"
#include "host/files/path_text.hpp"

namespace gpuminer {
namespace {

constexpr std::string_view kJsonOption = "--json";

/// The option's value if that is the name of a file or folder; nullptr: it is not. --against may be one.
const char* file_of(const OptionRow& row) {
    constexpr std::string_view kFiles[] = {"FILE", "DIR", "WHAT"};
    const std::string_view value = row.value != nullptr ? row.value : "";
    const bool is_file = value.starts_with("F.") || std::ranges::find(kFiles, value) != std::end(kFiles);
    return is_file ? row.value : nullptr;
}

/// The beginning of the word that is an option with a file for its value: "--report", "--report=", "-c"; empty: none.
struct FileOption {
    std::string_view name;
    const char* file = nullptr;
};

FileOption file_option_of(std::string_view word) {
    const auto with = [&](std::string_view name, const char* file) -> FileOption {
        if (word == name) return {word, file};
        const std::size_t size = name.size() + (name.starts_with("--") ? 1 : 0);
        const bool joined =
            word.starts_with(name) && (!name.starts_with("--") || word.substr(name.size()).starts_with('='));
        return joined ? FileOption{word.substr(0, size), file} : FileOption{};
    };
    for (const OptionRow& row : option_rows()) {
        const char* const file = file_of(row);
        if (file == nullptr) continue;
        if (const FileOption found = with(long_name(row), file); found.file != nullptr) return found;
        const std::string_view names = row.names;
        if (names.starts_with("--")) continue;
        if (const FileOption found = with(names.substr(0, names.find(',')), file); found.file != nullptr) return found;
    }
    return with(kJsonOption, "FILE");
}

/// Of `bench --json`, after which a file may stand: another option, a workload and "-" are none.
bool is_no_file(std::string_view word) {
    return word.starts_with('-') || bench::is_workload(word) || word == bench::kAllWorkloads;
}

}  // namespace

std::string command_to_share(int argc, const char* const* argv) {
    std::string command = argc > 0 ? path_text(std::filesystem::path(argv[0]).filename()) : "";
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const FileOption option = file_option_of(word);
        command += ' ';
        if (word.starts_with('@')) {
            command += "@FILE";
        } else if (option.file == nullptr) {
            command += word;
        } else if (option.name.size() < word.size() || option.name.ends_with('=')) {
            command += std::string(option.name) + option.file;
        } else {
            command += word;
            const bool has_value = i + 1 < argc && !(word == kJsonOption && is_no_file(argv[i + 1]));
            if (has_value) command += std::string(" ") + option.file;
            if (has_value) ++i;
        }
    }
    return command;
}

}  // namespace gpuminer
