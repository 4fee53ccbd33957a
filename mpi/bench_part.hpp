// One rank's part of `bench`: its devices, and the rows of `scan` of all of them together.
#pragma once

#include <atomic>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "bench/document/document.hpp"
#include "bench/workloads/open_devices.hpp"
#include "bench/workloads/workload.hpp"
#include "cli/options/options.hpp"
#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

/// How a rank's round ended, as a message: {"value": hashes/s}, {"wrong": sentence}, {"failed": sentence} or
/// {"interrupted": true}.
using RoundResult = bench::Json;

class BenchPart {
public:
    /// Opens devices. Where there are none, the rank takes part in rounds without doing anything. Throws InputError.
    BenchPart(const Communicator& communicator, const Options& options);
    ~BenchPart();
    BenchPart(const BenchPart&) = delete;
    BenchPart& operator=(const BenchPart&) = delete;

    /// {"devices": facts of each, "no_device": why there is none, or "", "notes": [sentence]}
    [[nodiscard]] const bench::Json& facts() const { return facts_; }

    /// Begins a round on a thread of its own. One at a time.
    void begin_round(bool rolled, double seconds);
    /// Empty: it has not ended.
    [[nodiscard]] std::optional<RoundResult> end_of_round();
    /// The round that is going on, and every later one, is interrupted. From any thread.
    void stop() { stop_.request_stop(); }

    /// Measurement::details, with the rank's "host".
    [[nodiscard]] bench::Json details(bool rolled) const;

private:
    [[nodiscard]] RoundResult round(bool rolled, double seconds);

    const Communicator& communicator_;
    std::vector<std::string> notes_;
    bench::Options options_;
    std::stop_source stop_;
    bench::OpenDevices devices_;
    std::vector<bench::Row> rows_;  ///< fixed, rolled (of algorithms that do); empty: there is no device
    bench::Json facts_;

    RoundResult result_;  ///< the thread's, until it has ended
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

}  // namespace gpuminer::mpi
