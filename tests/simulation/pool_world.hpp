// The parts of a schedule of pool sessions: virtual time, pools, the disk, and the shares that are found.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/random.hpp"
#include "tests/simulation/share_ledger.hpp"
#include "tests/simulation/simulated_disk.hpp"
#include "tests/simulation/tally.hpp"
#include "tests/simulation/virtual_time.hpp"

namespace gpuminer::simulation {

class PoolModel;

class PoolWorld {
public:
    PoolWorld(std::uint64_t seed, Tally& tally);
    ~PoolWorld();
    PoolWorld(const PoolWorld&) = delete;
    PoolWorld& operator=(const PoolWorld&) = delete;
    [[nodiscard]] static PoolWorld& current();

    /// A line on standard error, where one schedule is repeated (GPUMINER_SCHEDULE).
    void trace(const std::string& line) const {
        if (traced_)
            std::cerr << std::chrono::duration<double>(time.now().time_since_epoch()).count() << "  " << line
                      << std::endl;
    }
    /// The first one stays, and ends the schedule.
    void fail(const std::string& why);
    [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }

    VirtualTime time;
    Random random;
    Tally& tally;
    ShareLedger ledger;
    std::vector<std::unique_ptr<PoolModel>> pools;
    SimulatedDisk disk;                  ///< outlives the client's runs
    unsigned run = 0;                    ///< of the client: it is killed and started again
    std::uint64_t connections = 0;       ///< of this run
    std::uint64_t lines_until_cut = 60;  ///< at most, of connections that are to be cut
    /// Connections stay, and pools run.
    bool calm = false;

private:
    const bool traced_ = std::getenv("GPUMINER_SCHEDULE") != nullptr;
    std::optional<std::string> failure_;
};

/// A pause, small ones as often as large ones.
[[nodiscard]] std::chrono::nanoseconds some_time(Random& random, std::chrono::milliseconds least,
                                                 std::chrono::milliseconds most);

}  // namespace gpuminer::simulation
