// ARM64's counter: that of the generic timer, some 20 MHz to 1 GHz, so that its ticks are no cycles of any core (Arm
// ARM, D11.1). The counter of cycles itself (PMCCNTR_EL0) is closed to programs.
#pragma once

#include <cstdint>

#include "cpu/machine/cycle_counter_words.hpp"

namespace gpuminer {

inline constexpr CycleCounterWords kCycleCounter = {"cntvct_el0", "timer ticks", "ticks", "t/h"};

/// The counter, read after every earlier instruction is done.
[[nodiscard]] inline std::uint64_t read_cycle_counter() {
    std::uint64_t ticks = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

}  // namespace gpuminer
