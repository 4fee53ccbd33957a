// Linux's hardware monitoring (hwmon): temperatures of CPUs, and the sensors of AMD and Intel GPUs
// (https://docs.kernel.org/hwmon/sysfs-interface.html). Windows offers none. Everything is looked up anew at each
// reading: a driver may be unloaded, a GPU unplugged and a CPU switched off while the program runs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "host/sensors/gpu_sensors.hpp"

namespace gpuminer {

/// Where Linux lists the chips.
inline constexpr const char* kHwmonFolder = "/sys/class/hwmon";

/// Of the hottest CPU package, in degrees Celsius. Empty where none is listed, or where one of them cannot be read: it
/// might be the hottest. `folder`: laid out as kHwmonFolder.
[[nodiscard]] std::optional<double> cpu_temperature(const std::filesystem::path& folder);

/// Finds GPUs by their PCI address. `folder`: laid out as kHwmonFolder.
[[nodiscard]] std::unique_ptr<GpuSensors> open_hwmon(const std::filesystem::path& folder = kHwmonFolder);

}  // namespace gpuminer
