// TemperatureGuard: the decision when a device that is too hot is paused, and when it is resumed.
#pragma once

#include <optional>

namespace gpuminer {

/// Degrees Celsius; resume_c is below max_c.
struct TemperatureLimits {
    unsigned max_c = 0;     ///< a device that reaches it is paused
    unsigned resume_c = 0;  ///< a paused device at this or less is resumed
};

class TemperatureGuard {
public:
    enum class Step {
        kNothing,
        kPause,
        kResume,
        kGiveUp,  ///< its temperature cannot be read (any more): once, and again whenever that resumes a paused device
    };

    explicit TemperatureGuard(TemperatureLimits limits) : limits_(limits) {}

    /// What to do after the device's next reading; empty: it could not be read.
    [[nodiscard]] Step observe(std::optional<double> temperature_c);
    [[nodiscard]] bool paused() const { return paused_; }
    [[nodiscard]] const TemperatureLimits& limits() const { return limits_; }

private:
    Step miss();

    TemperatureLimits limits_;
    bool paused_ = false;
    bool was_readable_ = false;
    bool gave_up_ = false;
    unsigned missed_ = 0;  ///< failed readings in a row
};

}  // namespace gpuminer
