// Interface of workloads: rows that are measured in turns, round by round.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bench/document/document.hpp"
#include "host/devices/devices.hpp"
#include "host/search/search.hpp"

namespace gpuminer::bench {

class OpenDevices;

/// What was computed is wrong: its speed means nothing. The run ends with exit code 5.
struct VerificationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// The user ended the run within a round, which then does not count.
struct Interrupted {};

struct Options {
    std::vector<std::string> workloads{"scan"};
    DeviceSelection devices = {};
    std::optional<double> seconds = {};   ///< of each row, over all rounds; empty: the workload's own
    std::optional<unsigned> rounds = {};  ///< empty: the workload's own
    SearchRequest search = {};            ///< for pseudo-miner: header, target, start and end
    std::string command = {};             ///< the command line, for the document
};

/// So many that the document of all workloads can still be read (read_document()).
inline constexpr unsigned kMostRounds = 5'000;

/// What a workload has to work with.
struct Setting {
    const Options& options;
    std::stop_token stop;  ///< stopped: end the round with Interrupted, within half a second
    OpenDevices& devices;  ///< opened when first asked for
    std::function<void(const std::string& sentence)> note;  ///< something is left out: for the user and the document
    /// For rounds that take long: the share (0 … 1) of the current one that is done. From any thread.
    std::function<void(double share)> round_progress = {};
};

struct Row {
    std::string name;
    std::string unit;
    Better better = Better::kHigher;
    /// One round of about so many seconds; returns its value. Checks what was computed, off the clock. Throws
    /// VerificationError, Interrupted.
    std::function<double(double seconds)> measure;
    /// Measurement::details, when all rounds are done. May be empty.
    std::function<Json()> details = {};
};

struct Rows {
    std::vector<Row> rows;
    std::function<std::string()> text = {};  ///< for people, after the workload's table; may be empty
    Json job = nullptr;                      ///< Document::job gets it under the workload's name; null: nothing
};

struct Workload {
    const char* name;
    const char* description;  ///< for --help
    unsigned rounds;          ///< by default
    double round_seconds;     ///< by default
    bool warm_up;             ///< a first round that does not count
    bool part_of_all;         ///< of what "all" stands for
    Rows (*prepare)(const Setting&);
};

/// All of them, in the order of the report. (bench/workloads.cpp)
[[nodiscard]] std::span<const Workload> workloads();
/// The name that stands for most of them.
inline constexpr const char* kAllWorkloads = "all";
/// Whether it is the name of one, or "all".
[[nodiscard]] bool is_workload(std::string_view name);

}  // namespace gpuminer::bench
