// The commands and options of the program for Windows: no servers, pages, benchmarks, sensors or configuration files.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "cli/options/available.hpp"

namespace gpuminer {
namespace {

constexpr Command kPortedCommands[] = {Command::kMine, Command::kGrind, Command::kVerify, Command::kDevices,
                                       Command::kExplain};
constexpr unsigned kPortedGroups =
    kTarget | kRange | kSearch | kLimit | kEvents | kDevice | kExplain | kAgainst | kEverywhere;
constexpr std::string_view kMissingOptions[] = {"--pause-on-battery", "--cuda-code", "--config", "--no-config",
                                                "--algorithm"};

bool is_available(const CommandRow& row) {
    return std::ranges::find(kPortedCommands, row.command) != std::end(kPortedCommands);
}
bool is_available(const OptionRow& row) {
    return (row.group & kPortedGroups) != 0 &&
           std::ranges::find(kMissingOptions, long_name(row)) == std::end(kMissingOptions);
}

template <class Row>
std::vector<Row> chosen_of(std::span<const Row> all) {
    std::vector<Row> rows;
    std::ranges::copy_if(all, std::back_inserter(rows), [](const Row& row) { return is_available(row); });
    return rows;
}

}  // namespace

std::span<const CommandRow> available(std::span<const CommandRow> commands) {
    static const std::vector<CommandRow> rows = [commands] {
        std::vector<CommandRow> chosen = chosen_of(commands);
        for (CommandRow& row : chosen) row.groups &= kPortedGroups;
        return chosen;
    }();
    return rows;
}

std::span<const OptionRow> available(std::span<const OptionRow> options) {
    static const std::vector<OptionRow> rows = chosen_of(options);
    return rows;
}

std::string_view system_note() {
    return "tested under Wine only, on no real Windows: please tell us how it runs (README.txt)\n";
}

}  // namespace gpuminer
