// The CPU's counter, which runs at a fixed frequency and not at the core's own clock: x86-64's TSC, ARM64's generic
// timer.
#pragma once

#if defined(__x86_64__)
#include "cpu/machine/cycle_counter_x86.hpp"
#elif defined(__aarch64__)
#include "cpu/machine/cycle_counter_arm64.hpp"
#endif

namespace gpuminer {

[[nodiscard]] bool have_cycle_counter();

/// What it counts per second, measured against steady_clock from the program's start until now (for 10 ms at least:
/// it waits if called earlier). Only where have_cycle_counter().
[[nodiscard]] double measured_counter_hz();

}  // namespace gpuminer
