// When one device has to rest because it is too hot, and when it may go on.
#pragma once

#include <optional>

namespace gpuminer {

/// Degrees Celsius; resume_c is below max_c.
struct TemperatureLimits {
    unsigned max_c = 0;     ///< a device that reaches it is paused
    unsigned resume_c = 0;  ///< at this or less it goes on
};

class TemperatureGuard {
public:
    enum class Step {
        kNothing,
        kPause,
        kResume,
        kGiveUp,  ///< its temperature cannot be read (any more): said once, and whenever a paused one goes on for it
    };

    explicit TemperatureGuard(TemperatureLimits limits) : limits_(limits) {}

    /// What the device's next reading means for it; empty: there was none.
    [[nodiscard]] Step observe(std::optional<double> temperature_c);
    [[nodiscard]] bool paused() const { return paused_; }

private:
    Step miss();

    TemperatureLimits limits_;
    bool paused_ = false;
    bool was_readable_ = false;
    bool gave_up_ = false;
    unsigned missed_ = 0;  ///< readings in a row
};

}  // namespace gpuminer
