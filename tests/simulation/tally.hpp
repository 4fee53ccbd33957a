// Counts of events in schedules.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gpuminer::simulation {

/// How often something happened, over all schedules: that a simulator does what it is for.
using Tally = std::map<std::string, std::uint64_t>;

}  // namespace gpuminer::simulation
