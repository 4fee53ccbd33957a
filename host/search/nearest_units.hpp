// What a worker has completed, in fewer units, so that it can be remembered.
#pragma once

#include <vector>

#include "host/search/partition.hpp"

namespace gpuminer {

/// Halves the number of units, but for those of different groups: the nearest become one, and with them what others
/// searched in between.
void merge_nearest(std::vector<WorkUnit>& units);

}  // namespace gpuminer
