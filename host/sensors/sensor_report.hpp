// The sensors' part of a search report. What no sensor reported is empty, never 0.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace gpuminer {

/// Of a GPU, or, temperatures alone, of the CPU's hottest package for each device that computes on it.
struct DeviceUsage {
    std::optional<double> max_temperature_c;
    std::optional<double> energy_j;  ///< from its joining the search to the search's end
    std::optional<double> power_w;   ///< average over that time
    // The last reading:
    std::optional<double> temperature_c;
    std::optional<double> power_now_w;
    std::optional<double> power_limit_w;
    std::optional<unsigned> core_clock_mhz;
    std::optional<unsigned> memory_clock_mhz;
    std::optional<unsigned> fan_percent;
};

struct SensorReport {
    std::map<std::string, DeviceUsage> devices;  ///< by the device's name
    std::optional<double> cpu_energy_j;          ///< of all CPU packages, whatever ran on them
    std::optional<double> cpu_power_w;           ///< average over the search
};

/// A device that is paused for its temperature.
struct HotDevice {
    std::string device;  ///< its name; "cpu": all that compute on the CPU
    double temperature_c = 0;
    std::string text;  ///< a sentence
};

}  // namespace gpuminer
