// One schedule of a fleet: some searches one after the other, with devices that fail and a user who interferes.
#pragma once

#include <cstdint>

#include "tests/simulation/tally.hpp"

namespace gpuminer::simulation {

/// Throws Failure.
void run_search_schedule(std::uint64_t seed, Tally& tally);

}  // namespace gpuminer::simulation
