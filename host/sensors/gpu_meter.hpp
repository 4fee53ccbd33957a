// What one GPU used over a search, from readings taken now and then.
#pragma once

#include <optional>

#include "host/sensors/gpu_sensors.hpp"
#include "host/sensors/sensor_report.hpp"

namespace gpuminer {

/// Power is what the GPU's own counter of energy moved, or where it has none the mean of its power readings. Energy is
/// that power over the whole time, of which the first reading may miss the beginning.
class GpuMeter {
public:
    /// Measuring begins at `begin`; seconds, on any clock.
    explicit GpuMeter(double begin) : begin_(begin) {}

    /// `seconds`: on the same clock, ascending.
    void add(double seconds, const GpuReading& reading);
    /// No power and energy from readings within less than half a second: counters move every 0.02 to 0.1 s.
    [[nodiscard]] GpuUsage usage() const;

private:
    /// Something summed from one moment to another.
    struct Sum {
        double from = 0;  ///< seconds
        double to = 0;
        double joules = 0;
        double last = 0;     ///< the latest reading: joules of a counter, or watts
        bool begun = false;  ///< there was a reading
    };

    void add_counter(double seconds, double joules);
    void add_power(double seconds, double watts);

    const double begin_;
    double latest_ = 0;
    Sum counter_;
    Sum power_;
    bool counter_fails_ = false;  ///< it was reset, or gave a reading and then none
    std::optional<double> max_temperature_c_;
    GpuReading last_;
};

}  // namespace gpuminer
