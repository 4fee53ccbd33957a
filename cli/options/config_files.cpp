#include "cli/options/config_files.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "cli/options/available.hpp"
#include "cli/options/option_table.hpp"
#include "host/files/path_text.hpp"
#include "host/system/folders.hpp"

namespace gpuminer {
namespace {

constexpr const char* kHead =
    "# Configuration of gpuminer: {}, or any file after -c.\n"
    "# TOML: a line is an option's long name, =, and its value, texts in quotes, lists in [ ]; true switches on an "
    "option without a value. An option of the\n"
    "# command line prevails over one of the environment (GPUMINER_THREADS), and that over one of a file, or\n"
    "# of the first of several. Options that do not apply to a command are ignored. grind, verify and explain read no "
    "file.\n";

/// Options that say where from and what, of one call.
bool is_of_one_call(const OptionRow& row) {
    return is_of_command_line(row) || row.group == kBench || row.group == kReports || row.group == kFailBelow ||
           row.group == kExplain || row.group == kAgainst;
}

/// The word of "(default WORD)" and "(default WORD: …)" in its description; empty: there is none.
std::string_view default_of(const OptionRow& row) {
    constexpr std::string_view kBefore = "(default ";
    std::string_view text = row.description;
    const std::size_t begin = text.find(kBefore);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + kBefore.size());
    const std::size_t end = text.find_first_of(" );:");
    return end != std::string_view::npos && text[end] != ' ' ? text.substr(0, end) : std::string_view();
}

}  // namespace

std::string example_value(const OptionRow& row) {
    if (row.value == nullptr) return "true";
    const std::string_view value = row.value;
    const std::string_view usual = default_of(row);
    if (value == "N" || value == "C" || value == "D" || value == "X") return std::string(usual.empty() ? "1" : usual);
    return fmt::format("\"{}\"", !usual.empty() ? usual : value == "TIME" ? "60s" : value);
}

std::vector<std::string> default_config_files(const std::string& of_system) {
    std::vector<std::string> files;
    if (const auto folder = config_folder()) files.push_back(path_text(*folder / "config.toml"));
    if (!of_system.empty()) files.push_back(of_system);
    return files;
}

std::string config_example() {
    std::string text = fmt::format(kHead, places_of_config());
    const Group* before = nullptr;
    for (const OptionRow& row : option_rows()) {
        if (is_of_one_call(row)) continue;
        if (before == nullptr || *before != row.group) text += fmt::format("\n# {}\n", title_of(row.group));
        before = &row.group;
        const std::string line = fmt::format("#{} = {}", long_name(row).substr(2), example_value(row));
        text += fmt::format("{:32} # {}\n", line, row.description);
    }
    return text;
}

}  // namespace gpuminer
