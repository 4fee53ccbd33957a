// The CPU's cycle counter (TSC). It counts reference cycles at a fixed frequency, not the core's own clock.
#pragma once

#include <cstdint>

namespace gpuminer {

[[nodiscard]] bool have_rdtscp();

/// The counter, read after every earlier instruction is done. Only where have_rdtscp().
[[nodiscard]] inline std::uint64_t read_tsc() {
    std::uint32_t low = 0, high = 0, core = 0;
    asm volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(core));
    return std::uint64_t{high} << 32 | low;
}

/// Cycles per second, measured against steady_clock from the program's start until now (for 10 ms at least:
/// it waits if called earlier). Only where have_rdtscp().
[[nodiscard]] double measured_tsc_hz();

}  // namespace gpuminer
