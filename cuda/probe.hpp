// CUDA devices and their properties.
#pragma once

#include <vector>

#include "host/backend.h"

namespace gpuminer::cuda {

/// Every device; or one unusable probe that says why there is none.
[[nodiscard]] std::vector<Probe> probe_devices(const DeviceOptions& options);

}  // namespace gpuminer::cuda
