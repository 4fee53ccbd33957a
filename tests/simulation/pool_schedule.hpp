// One schedule of the pool client: pools that change jobs, difficulties and extranonces, restart and fall silent,
// connections that break anywhere, a client that is killed and started again, and shares all the while.
#pragma once

#include <chrono>
#include <cstdint>

#include "tests/simulation/client_fault.hpp"
#include "tests/simulation/tally.hpp"

namespace gpuminer::simulation {

struct PoolPace {
    std::chrono::milliseconds shortest, longest;  ///< until all calms down
    std::chrono::milliseconds events;             ///< the longest time between those of one pool
    std::chrono::milliseconds shares;             ///< the longest time between two
    std::uint64_t lines_until_cut;                ///< the most of a connection that is to be cut
};

/// Of the pools in one list.
enum class PoolVersions {
    kV1,
    kV2,  ///< of several, some may speak V1
};

/// Throws std::runtime_error.
void run_pool_schedule(std::uint64_t seed, Tally& tally, const PoolPace& pace,
                       PoolVersions versions = PoolVersions::kV1, ClientFault planted = ClientFault::kNone);

}  // namespace gpuminer::simulation
