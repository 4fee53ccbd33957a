// The parts of the workload `scan` that a process of several (MPI) measures by itself.
#pragma once

#include <array>

#include "bench/workloads/workload.hpp"

namespace gpuminer::bench {

/// All devices together: one header version, and several. Throws NoDeviceError.
[[nodiscard]] std::array<Row, 2> scan_rows_of_all(const Setting& setting);

}  // namespace gpuminer::bench
