// Text about devices: the start line, and a device that joins later.
#pragma once

#include <string>
#include <vector>

#include "host/backend.h"

namespace gpuminer {

/// "3 × cpu:avx512 (16 nonces per vector), 1 × cuda:sm_90"
[[nodiscard]] std::string count_devices(const std::vector<DeviceInfo>& devices);
/// "cuda:sm_90#0 joins: NVIDIA H200, one nonce per thread"
[[nodiscard]] std::string joining_text(const DeviceInfo& info);

}  // namespace gpuminer
