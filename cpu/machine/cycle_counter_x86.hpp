// x86-64's cycle counter, the TSC: reference cycles (Intel SDM, RDTSCP).
#pragma once

#include <cstdint>

#include "cpu/machine/cycle_counter_words.hpp"

namespace gpuminer {

inline constexpr CycleCounterWords kCycleCounter = {"rdtscp", "reference cycles", "cycles", "c/h"};

/// The counter, read after every earlier instruction is done. Only where have_cycle_counter().
[[nodiscard]] inline std::uint64_t read_cycle_counter() {
    std::uint32_t low = 0, high = 0, core = 0;
    asm volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(core));
    return std::uint64_t{high} << 32 | low;
}

}  // namespace gpuminer
