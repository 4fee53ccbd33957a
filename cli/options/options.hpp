// The options of every command, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.hpp"
#include "cli/options/mining_options.hpp"
#include "cli/options/view_options.hpp"
#include "cli/terminal/logging.hpp"
#include "host/block/hash256.hpp"
#include "host/devices/devices.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/temperature_guard.hpp"

namespace gpuminer {

/// At least so much: a measurement's median in its own unit (at most, where less is better).
struct Expectation {
    std::string name;  ///< "scan/all fixed": workload and row; empty: the scan of one header version by all devices
    double value = 0;
};

/// For bench and compare.
struct BenchOptions {
    std::optional<double> seconds;
    std::optional<unsigned> rounds;
    std::optional<double> budget;  ///< seconds for the whole run
    std::string label;
    std::optional<std::string> json_file, report_file, csv_file, markdown_file, submission_file, baseline_file;
    std::optional<std::string> block_file;    ///< whose transactions the workload block hashes
    std::optional<std::string> against_file;  ///< GPUMINER.CSV, whose job pseudo-miner does once more
    std::optional<double> fail_below;         ///< percent
    std::vector<Expectation> expected;
};

struct Options {
    std::vector<std::string> operands;            ///< bench: workloads; compare: the two files; journal: files
    std::optional<Command> command;               ///< empty: mine the embedded job
    bool names_algorithm = false;                 ///< journal: the others are left out
    std::string header;                           ///< HEADER as given
    bool steps = false;                           ///< explain: each round
    std::optional<std::uint32_t> nonce, against;  ///< explain: in place of the header's, and what it is compared with
    std::optional<std::string> html_file;         ///< explain: the page to write
    std::optional<Hash256> target;                ///< empty: the header's nBits
    SearchRequest request;                        ///< all of it but header and target
    std::optional<std::string> checkpoint_file, resume_file;
    std::optional<double> time_limit;  ///< seconds
    double status_interval = 60;       ///< seconds between status lines where standard error is no terminal
    DeviceSelection devices;
    BenchOptions bench;
    MiningOptions mining;
    std::optional<TemperatureLimits> temperature_limits;      ///< empty: no GPU is paused for its temperature
    std::optional<TemperatureLimits> cpu_temperature_limits;  ///< empty: nor are the CPU's devices
    ViewOptions view;
    web::MinerAddress miner;  ///< that runs already: of pair, status, pause and resume
    std::string events;       ///< a file for the events, "-": standard output; empty: none
    bool pause_on_battery = false;
    bool terminal = false;  ///< standard error is one, for live lines and keys
    LogOptions log;
    bool json = false;
    std::string command_line;  ///< command_to_share(), for documents
};

/// Throws InputError: one plain sentence.
[[nodiscard]] Options read_options(const Arguments& arguments);

/// Whether `name` ("--json", "--no-color") is among the words, for errors in the words themselves.
[[nodiscard]] bool has_word(int argc, const char* const* argv, std::string_view name);

}  // namespace gpuminer
