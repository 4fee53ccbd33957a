// DeviceMeter: energy, power and temperature over a search, of one GPU or of the CPU, from periodic readings.
#pragma once

#include <optional>

#include "host/sensors/gpu_sensors.hpp"
#include "host/sensors/sensor_report.hpp"

namespace gpuminer {

/// Average power comes from the device's own energy counter, or where it has none from its power readings. Energy is
/// that power times the whole time, including the time before the first reading. Where only energy is counted, the
/// power of the moment is what the counter moves in half a second or more.
class DeviceMeter {
public:
    /// `begin`: when the device joined the search, in seconds on any clock.
    explicit DeviceMeter(double begin) : begin_(begin) {}

    /// `seconds`: on the same clock, ascending.
    void add(double seconds, const SensorReading& reading);
    /// Without power and energy where the readings cover less than 0.5 s: counters move every 0.02 to 0.1 s.
    [[nodiscard]] DeviceUsage usage() const;

private:
    /// The energy between two moments.
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
    double counted_at_ = 0, counted_j_ = 0;  ///< the counter's reading from which counted_power_w_ is next taken
    std::optional<double> counted_power_w_;
    Sum counter_;
    Sum power_;
    bool counter_fails_ = false;  ///< it was reset, or could not be read any more
    std::optional<double> max_temperature_c_;
    SensorReading last_;
};

}  // namespace gpuminer
