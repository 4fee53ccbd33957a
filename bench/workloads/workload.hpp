// Interface of workloads: rows that are measured in turns, round by round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/document/bare_metal.hpp"
#include "bench/document/document.hpp"
#include "bench/workloads/workload_list.hpp"
#include "host/devices/devices.hpp"
#include "host/search/search_types.hpp"
#include "host/text/table.hpp"

namespace gpuminer::bench {

class OpenDevices;
class Ranks;

/// What was computed is wrong: its speed means nothing. The run ends with exit code 5.
struct VerificationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// The user ended the run within a round, which then does not count.
struct Interrupted {};

/// A block's transactions as they are serialised, in its order.
struct BlockTransactions {
    std::string name;  ///< what they are, for people
    std::vector<std::vector<std::uint8_t>> without_witness, whole;
};

struct Options {
    std::vector<std::string> workloads{"scan"};
    DeviceSelection devices = {};
    std::optional<double> seconds = {};           ///< of each row, over all rounds; empty: the workload's own
    std::optional<unsigned> rounds = {};          ///< empty: the workload's own
    std::optional<double> budget = {};            ///< seconds for the whole run, all in all
    std::string label = {};                       ///< for the document
    SearchRequest search = {};                    ///< for pseudo-miner: header, target, start and end
    std::optional<BareMetalReport> against = {};  ///< for pseudo-miner: what it does the same as, its job included
    std::optional<BlockTransactions> block = {};  ///< for block; empty: made up
    std::string command = {};                     ///< the command line, for the document
    std::size_t columns = kUnlimitedColumns;      ///< of the lines of text for people
    Ranks* ranks = nullptr;                       ///< for scan: who measures; null: this process alone
};

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
    /// What is measured in the same round, of which each becomes a measurement of its own, after this one.
    struct Part {
        std::string name;
        std::function<double()> value;  ///< of the latest round, in the row's unit
        std::function<Json()> details = {};
    };
    std::vector<Part> parts = {};
};

struct Rows {
    std::vector<Row> rows;
    /// For people, after the workload's table, in lines of so many characters; may be empty.
    std::function<std::string(std::size_t columns)> text = {};
    Json job = nullptr;  ///< Document::job gets it under the workload's name; null: nothing
};

}  // namespace gpuminer::bench
