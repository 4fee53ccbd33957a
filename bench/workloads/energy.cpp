#include "bench/workloads/energy.hpp"

#include <algorithm>

#include "host/sensors/sensor_thread.hpp"

namespace gpuminer::bench {

SearchReport Energy::measure(const std::function<SearchReport(const std::function<void(const DeviceInfo&)>&)>& search) {
    const auto nothing_to_pause = [](const std::string&, bool) {};
    const auto nothing_to_say = [](Severity, const std::string&) {};
    SensorThread sensors({}, {.pause = nothing_to_pause, .say = nothing_to_say});
    SearchReport report = search([&](const DeviceInfo& info) { sensors.watch(info); });
    const SensorReport told = sensors.finish();

    // By average power: the sensors' own window is a little longer than the search.
    bool cpu_searched = false;
    for (const DeviceReport& device : report.devices) {
        if (device.info.is_cpu() || device.info.software) {
            cpu_searched = true;
            continue;
        }
        const auto usage = told.devices.find(device.info.name);
        const bool known = usage != told.devices.end() && usage->second.power_w;
        complete_ = complete_ && known;
        if (known) joules_ += *usage->second.power_w * report.seconds;
        if (usage != told.devices.end() && usage->second.max_temperature_c)
            max_temperature_c_ = std::max(max_temperature_c_.value_or(0), *usage->second.max_temperature_c);
    }
    if (cpu_searched) {
        complete_ = complete_ && told.cpu_power_w.has_value();
        joules_ += told.cpu_power_w.value_or(0) * report.seconds;
    }
    seconds_ += report.seconds;
    hashes_ += static_cast<double>(report.hashes);
    return report;
}

Json Energy::figures() const {
    const bool known = complete_ && hashes_ > 0 && joules_ > 0;
    return {{"joules_per_gh", known ? Json(joules_ / (hashes_ / 1e9)) : Json(nullptr)},
            {"hashes_per_joule", known ? Json(hashes_ / joules_) : Json(nullptr)},
            {"power_w", known ? Json(joules_ / seconds_) : Json(nullptr)},
            {"max_temperature_c", max_temperature_c_ ? Json(*max_temperature_c_) : Json(nullptr)}};
}

}  // namespace gpuminer::bench
