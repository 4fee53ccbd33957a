// This system's program has one algorithm.
#include "bench/workloads/workload_list.hpp"

namespace gpuminer::bench {

std::span<const Workload> more_workloads() { return {}; }

}  // namespace gpuminer::bench
