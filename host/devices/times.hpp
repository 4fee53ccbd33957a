// Times after which drivers and devices are no longer waited for.
#pragma once

#include <chrono>

namespace gpuminer {

struct FleetTimes {
    /// CPU threads begin alone: a job that they solve at once does not pay for the start of GPU drivers.
    std::chrono::milliseconds head_start{50};
    /// Until a GPU API has listed its devices.
    std::chrono::milliseconds probe{10'000};
    /// Until GPUs are opened although an API has not answered yet that may have a faster way to one of them.
    std::chrono::milliseconds alias{1000};
    /// To open a device. Drivers compile for it, and tuning takes seconds.
    std::chrono::milliseconds open{120'000};
    /// For one call of a device that can hang.
    std::chrono::milliseconds answer{10'000};
    /// For such a device to end its batch when the search has ended, and then to be closed.
    std::chrono::milliseconds end{250};
    std::chrono::milliseconds close{150};
    /// Unit in which probing, opening and calls are timed: time in which the process or the machine is stopped does
    /// not count.
    std::chrono::milliseconds tick{100};
};

}  // namespace gpuminer
