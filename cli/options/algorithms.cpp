#include "cli/options/algorithms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "host/errors.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"

namespace gpuminer {

// One word in CMake per algorithm makes these declarations and this list (see GPUMINER_ALGORITHMS).
#define GPUMINER_ALGORITHM(name) extern const Algorithm k##name;
#include "gpuminer_algorithms.inc"
#undef GPUMINER_ALGORITHM

namespace {

#define GPUMINER_ALGORITHM(name) &k##name,
constexpr std::array kAlgorithms{
    &kSha256d,
#include "gpuminer_algorithms.inc"
};
#undef GPUMINER_ALGORITHM

const Algorithm& algorithm_named(const std::string& text) {
    const std::string name = ascii_lower(text);
    const auto* const found =
        std::ranges::find_if(kAlgorithms, [&](const Algorithm* algorithm) { return algorithm->name == name; });
    if (found != kAlgorithms.end()) return **found;
    std::vector<std::string> names;
    for (const Algorithm* algorithm : kAlgorithms) names.emplace_back(algorithm->name);
    throw InputError(fmt::format("--algorithm: expected {}, got {}{}", fmt::join(names, " or "),
                                 text.empty() ? "nothing" : quoted_text(text), did_you_mean(name, names)));
}

/// Those that are about Bitcoin's blocks only do not.
bool takes_any_algorithm(std::optional<Command> command) {
    return !command || command == Command::kMine || command == Command::kGrind || command == Command::kVerify ||
           command == Command::kBench || command == Command::kDevices || command == Command::kPool ||
           command == Command::kJournal;
}

/// And of the command's own: a configuration file has those of other commands, too.
bool is_given(const Arguments& arguments, const std::string& name) {
    const CommandRow* const command = row_of(arguments.command());
    const unsigned groups = command != nullptr ? command->groups : kGroupsWithoutCommand;
    return arguments.text(name) && std::ranges::any_of(option_rows(), [&](const OptionRow& row) {
               return (row.group & groups) != 0 && long_name(row) == name;
           });
}

}  // namespace

std::span<const Algorithm* const> all_algorithms() { return kAlgorithms; }

bool names_algorithm(const Arguments& arguments) { return arguments.text("--algorithm").has_value(); }

const Algorithm& read_algorithm(const Arguments& arguments) {
    const auto text = arguments.text("--algorithm");
    const Algorithm& algorithm = text ? algorithm_named(*text) : kSha256d;
    if (&algorithm == &kSha256d) return algorithm;
    if (!takes_any_algorithm(arguments.command())) {
        if (!arguments.origin("--algorithm:").empty()) return kSha256d;  // one file serves all commands
        throw InputError(fmt::format("--algorithm: expected {} for {}, got {}", kSha256d.name,
                                     row_of(arguments.command())->name, algorithm.name));
    }
    if (!algorithm.rolls_versions && is_given(arguments, "--roll-versions"))
        throw InputError(fmt::format("--roll-versions does not apply to {}", algorithm.name));
    return algorithm;
}

std::string state_name(const std::string& command, const Algorithm& algorithm) {
    return &algorithm == &kSha256d ? command : fmt::format("{}-{}", command, algorithm.name);
}

}  // namespace gpuminer
