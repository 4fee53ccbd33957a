// The oracle of a simulated search: its result, judged by the actions of its devices. Each function throws Failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/search/search.hpp"
#include "tests/simulation/search_world.hpp"

namespace gpuminer::simulation {

/// A job of a stream, as the schedule set it.
struct JobRecord {
    std::size_t header = 0;
    std::uint32_t version_mask = 0;
    bool first_hit_only = false;
    unsigned times_set = 0;
    std::uint64_t settled = 0;     ///< nonces that had to be searched in the end
    std::optional<Time> replaced;  ///< by another job, by none, or by the search's end
    std::vector<Key> found;        ///< as they were handed over
};

/// A search of one request that has ended. `stopped`: somebody asked for that; `usable`: devices are left.
void judge(const World& world, const SearchRequest& request, const SearchReport& report, std::size_t header,
           bool stopped, bool usable);
/// A stream of these jobs that has ended.
void judge(const World& world, const std::vector<JobRecord>& jobs, const SearchReport& report);

}  // namespace gpuminer::simulation
