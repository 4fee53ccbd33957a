#include "host/sensors/temperature_guard.hpp"

#include <utility>

namespace gpuminer {

TemperatureGuard::Step TemperatureGuard::observe(std::optional<double> temperature_c) {
    if (!temperature_c) return miss();
    was_readable_ = true;
    missed_ = 0;
    if (!paused_ && *temperature_c >= limits_.max_c) {
        paused_ = true;
        return Step::kPause;
    }
    if (paused_ && *temperature_c <= limits_.resume_c) {
        paused_ = false;
        return Step::kResume;
    }
    return Step::kNothing;
}

TemperatureGuard::Step TemperatureGuard::miss() {
    constexpr unsigned kPatience = 6;  // failed readings; none where the sensor never worked
    if (was_readable_ && ++missed_ < kPatience) return Step::kNothing;
    // A device that stayed paused without a sensor would stay so for ever, and the search would never end.
    const bool was_paused = std::exchange(paused_, false);
    return !std::exchange(gave_up_, true) || was_paused ? Step::kGiveUp : Step::kNothing;
}

}  // namespace gpuminer
