// The parts of the workload `scan` that a process of several (MPI) measures by itself.
#pragma once

#include <vector>

#include "bench/workloads/workload.hpp"

namespace gpuminer::bench {

/// All devices together: one header version, and several where the algorithm rolls them. Throws NoDeviceError.
[[nodiscard]] std::vector<Row> scan_rows_of_all(const Setting& setting);

}  // namespace gpuminer::bench
