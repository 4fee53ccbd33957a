// NVIDIA's management library (NVML, part of the driver), opened at run time.
#pragma once

#include <memory>

#include "host/sensors/gpu_sensors.hpp"

namespace gpuminer {

/// Finds devices by their UUID, or by their PCI address. Throws std::runtime_error, with the reason in one clause,
/// where there is no such library or it does not start. `library`: as dlopen() takes it.
[[nodiscard]] std::unique_ptr<GpuSensors> open_nvml(const char* library = "libnvidia-ml.so.1");

}  // namespace gpuminer
