// The parts of a schedule that all clients' simulators have: virtual time, chance, the disk, the first failure.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "tests/simulation/random.hpp"
#include "tests/simulation/simulated_disk.hpp"
#include "tests/simulation/tally.hpp"
#include "tests/simulation/virtual_time.hpp"

namespace gpuminer::simulation {

class World {
public:
    /// `watcher` may still be under construction.
    World(std::uint64_t seed, Tally& tally, DiskWatcher& watcher);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    /// The one that is there; one at a time.
    [[nodiscard]] static World& current();

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
    SimulatedDisk disk;  ///< outlives the client's runs
    unsigned run = 0;    ///< of the client: it is killed and started again
    bool calm = false;   ///< servers run, and connections stay

private:
    const bool traced_ = std::getenv("GPUMINER_SCHEDULE") != nullptr;
    std::optional<std::string> failure_;
};

/// A pause, small ones as often as large ones.
[[nodiscard]] std::chrono::nanoseconds some_time(Random& random, std::chrono::milliseconds least,
                                                 std::chrono::milliseconds most);

}  // namespace gpuminer::simulation
