// Compaction of a worker's completed intervals, so that they can be kept in memory.
#pragma once

#include <vector>

#include "host/search/interval_set.hpp"

namespace gpuminer {

/// Halves the number of intervals: the nearest become one, and with them what others searched in between. At least one.
void merge_nearest(std::vector<Interval>& intervals);

}  // namespace gpuminer
