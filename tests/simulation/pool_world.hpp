// The parts of a schedule of pool sessions: pools, and the shares that are found.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/simulation/client_fault.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/share_watcher.hpp"
#include "tests/simulation/world.hpp"

namespace gpuminer::simulation {

class PoolWorld : public World {
public:
    /// `watcher` may still be under construction.
    PoolWorld(std::uint64_t seed, Tally& counts, ShareWatcher& watcher)
        : World(seed, counts, watcher), shares(watcher) {}
    [[nodiscard]] static PoolWorld& current() { return static_cast<PoolWorld&>(World::current()); }

    ShareWatcher& shares;
    std::vector<std::unique_ptr<PoolModel>> pools;
    std::uint64_t connections = 0;       ///< of this run
    std::uint64_t lines_until_cut = 60;  ///< at most, of connections that are to be cut
    PlantedFault planted;
};

}  // namespace gpuminer::simulation
