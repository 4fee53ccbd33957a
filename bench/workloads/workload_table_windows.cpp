// Table of workloads: there are none yet, and no command `bench`.
#include "bench/workloads/workload_list.hpp"

namespace gpuminer::bench {

std::span<const Workload> workloads() { return {}; }

}  // namespace gpuminer::bench
