#include "host/sensors/device_meter.hpp"

#include <algorithm>

namespace gpuminer {

void DeviceMeter::add(double seconds, const SensorReading& reading) {
    if (reading.energy_j) {
        add_counter(seconds, *reading.energy_j);
    } else {
        counter_fails_ = counter_fails_ || counter_.begun;
    }
    if (reading.power_w) add_power(seconds, *reading.power_w);
    if (reading.temperature_c)
        max_temperature_c_ = std::max(max_temperature_c_.value_or(*reading.temperature_c), *reading.temperature_c);
    last_ = reading;
    latest_ = seconds;
}

void DeviceMeter::add_counter(double seconds, double joules) {
    constexpr double kLeast = 0.4;  // seconds; sensors are read each half second, and whenever a device joins
    if (!counter_.begun) {
        counter_ = {.from = seconds, .begun = true};
        counted_at_ = seconds;
        counted_j_ = joules;
    } else if (joules < counter_.last) {
        counter_fails_ = true;
    } else {
        counter_.joules += joules - counter_.last;
    }
    if (seconds - counted_at_ >= kLeast) {
        counted_power_w_ = std::max(0.0, joules - counted_j_) / (seconds - counted_at_);
        counted_at_ = seconds;
        counted_j_ = joules;
    }
    counter_.to = seconds;
    counter_.last = joules;
}

void DeviceMeter::add_power(double seconds, double watts) {
    if (!power_.begun) {
        power_ = {.from = seconds, .begun = true};
    } else {
        power_.joules += (power_.last + watts) / 2 * (seconds - power_.to);
    }
    power_.to = seconds;
    power_.last = watts;
}

DeviceUsage DeviceMeter::usage() const {
    constexpr double kShortest = 0.5;  // seconds
    DeviceUsage usage;
    usage.max_temperature_c = max_temperature_c_;
    const bool counted = counter_.begun && !counter_fails_ && counter_.joules > 0;
    const Sum& sum = counted ? counter_ : power_;
    if (sum.to - sum.from >= kShortest && sum.joules > 0) {
        usage.power_w = sum.joules / (sum.to - sum.from);
        usage.energy_j = *usage.power_w * (latest_ - begin_);
    }
    usage.temperature_c = last_.temperature_c;
    usage.power_now_w = last_.power_w || !last_.energy_j ? last_.power_w : counted_power_w_;
    usage.power_limit_w = last_.power_limit_w;
    usage.core_clock_mhz = last_.core_clock_mhz;
    usage.memory_clock_mhz = last_.memory_clock_mhz;
    usage.fan_percent = last_.fan_percent;
    return usage;
}

}  // namespace gpuminer
