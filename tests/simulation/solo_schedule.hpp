// A schedule of solo mining: chance decides what happens, and a seed repeats it.
#pragma once

#include <chrono>
#include <cstdint>

#include "tests/simulation/tally.hpp"

namespace gpuminer::simulation {

struct SoloPace {
    std::chrono::milliseconds shortest, longest;  ///< of the time before the nodes calm down
    std::chrono::milliseconds events;             ///< between two of a node, at most
    std::chrono::milliseconds blocks;             ///< between two blocks found, at most
};

/// Throws std::runtime_error where the client does what it must not.
void run_solo_schedule(std::uint64_t seed, Tally& tally, const SoloPace& pace);

}  // namespace gpuminer::simulation
