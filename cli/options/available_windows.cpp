// The commands and options of the program for Windows.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "cli/options/available.hpp"
#include "gpuminer_lists.hpp"

namespace gpuminer {
namespace {

constexpr std::string_view kMissingOptions[] = {"--max-cpu-temp", "--no-sandbox",      "--on-block", "--on-best",
                                                "--on-stall",     "--on-device-error", "--on-hot"};

/// What is said otherwise here.
struct Description {
    std::string_view option;
    const char* text;
};
constexpr Description kDescriptions[] = {
    {"--isa",
     "auto, " GPUMINER_ISA_NAMES " (default auto: the fastest here); avx512:2: its second form; for verushash aesni"},
    {"--cpu-priority",
     "0 lowest, 1 below normal (default), 2 normal, 3 (default of bench) … 5 highest; above 2 the threads that serve "
     "GPUs come first"},
    {"--max-temp", "pause an NVIDIA GPU that reaches this temperature, 30 to 110 degrees Celsius"},
    {"--against", "another nonce, and its changes round by round (the avalanche)"},
    {"--config",
     "options from this file, in lines such as `threads = 4`, in place of %APPDATA%\\gpuminer\\config.toml "
     "(docs/configuration.md)"},
    {"--plain", "plain lines, as without a console: no live lines, no keys"},
    {"--datadir",
     "Bitcoin Core's (default %APPDATA%\\Bitcoin or %LOCALAPPDATA%\\Bitcoin): its bitcoin.conf and cookie name "
     "the node"},
    {"--http",
     "page, API and metrics of the run (docs/http.md) at PORT (of 127.0.0.1) or ADDRESS:PORT; of a running miner also "
     "at https://HOST[:PORT]"},
    {"--webhook", "send alerts (docs/http.md#alerts) as JSON to this URL, or GPUMINER_WEBHOOK"},
    {"--journal", R"(record of shares and blocks (default: in %LOCALAPPDATA%\gpuminer))"},
    {"--log-file", "append messages to a file"},
    {"--log-time", "the time before each message, as pool prints it without a console"},
};

bool is_available(const OptionRow& row) {
    return std::ranges::find(kMissingOptions, long_name(row)) == std::end(kMissingOptions);
}

void describe(OptionRow& row) {
    const auto* const found = std::ranges::find(kDescriptions, long_name(row), &Description::option);
    if (found != std::end(kDescriptions)) row.description = found->text;
}

}  // namespace

std::span<const CommandRow> available(std::span<const CommandRow> commands) {
    static const std::vector<CommandRow> rows = [commands] {
        std::vector<CommandRow> chosen(commands.begin(), commands.end());
        for (CommandRow& row : chosen) {
            if (row.command == Command::kBench) row.groups &= ~kAgainst;  // it has no kernels of BOOTX64.EFI's
        }
        return chosen;
    }();
    return rows;
}

std::span<const OptionRow> available(std::span<const OptionRow> options) {
    static const std::vector<OptionRow> rows = [options] {
        std::vector<OptionRow> chosen;
        std::ranges::copy_if(options, std::back_inserter(chosen), is_available);
        std::ranges::for_each(chosen, describe);
        return chosen;
    }();
    return rows;
}

std::string_view places_of_config() { return R"(%APPDATA%\gpuminer\config.toml)"; }

std::string_view system_note() {
    return "tested under Wine only, on no real Windows: please tell us how it runs (README.txt)\n";
}

}  // namespace gpuminer
