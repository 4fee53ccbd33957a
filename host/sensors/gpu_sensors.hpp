// What GPUs say of themselves: temperature, power, clocks. Where it comes from is behind GpuSensors.
#pragma once

#include <cstddef>
#include <optional>

#include "host/backend.h"

namespace gpuminer {

/// What a GPU says of itself at one moment. What it does not say is empty, never 0.
struct GpuReading {
    std::optional<double> temperature_c;
    std::optional<double> power_w;   ///< now, or over the last moments
    std::optional<double> energy_j;  ///< a counter that began some time before this program
    std::optional<double> power_limit_w;
    std::optional<unsigned> core_clock_mhz;
    std::optional<unsigned> memory_clock_mhz;
    std::optional<unsigned> fan_percent;
};

/// Used by one thread at a time.
class GpuSensors {
public:
    virtual ~GpuSensors() = default;
    GpuSensors() = default;
    GpuSensors(const GpuSensors&) = delete;
    GpuSensors& operator=(const GpuSensors&) = delete;

    /// Its number for read(); empty: these sensors do not know this device.
    [[nodiscard]] virtual std::optional<std::size_t> find(const DeviceInfo& info) = 0;
    [[nodiscard]] virtual GpuReading read(std::size_t number) = 0;
};

}  // namespace gpuminer
