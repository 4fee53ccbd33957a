// GpuSensors: the interface through which the sensors of GPUs (temperature, power, clocks) are read.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "host/backend.h"
#include "host/system/driver_libraries.hpp"

namespace gpuminer {

/// One reading of all sensors of a GPU, or of a CPU's thermometer. What it does not report is empty, never 0.
struct SensorReading {
    std::optional<double> temperature_c;
    std::optional<double> power_w;   ///< now, or an average over a short time, as the driver defines it
    std::optional<double> energy_j;  ///< a counter that started at an unknown time before this program
    std::optional<double> power_limit_w;
    std::optional<unsigned> core_clock_mhz;
    std::optional<unsigned> memory_clock_mhz;
    std::optional<unsigned> fan_percent;
};

/// Not thread-safe: one thread at a time.
class GpuSensors {
public:
    virtual ~GpuSensors() = default;
    GpuSensors() = default;
    GpuSensors(const GpuSensors&) = delete;
    GpuSensors& operator=(const GpuSensors&) = delete;

    /// Its number for read(); empty: these sensors do not know this device.
    [[nodiscard]] virtual std::optional<std::size_t> find(const DeviceInfo& info) = 0;
    [[nodiscard]] virtual SensorReading read(std::size_t number) = 0;
};

/// NVIDIA's management library (NVML, part of the driver), opened at run time. Finds devices by their UUID,
/// or by their PCI address. Throws std::runtime_error, with the reason in one clause, where there is no such library or
/// it does not start. `library`: as SharedLibrary takes it.
[[nodiscard]] std::unique_ptr<GpuSensors> open_nvml(const char* library = kNvmlLibrary);

}  // namespace gpuminer
