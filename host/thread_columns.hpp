// The columns of the table of threads, as the original experiment has them, and the rows of the table of interruptions;
// docs/bare-metal.md says what they mean.
// Needs no library: baremetal/ has none.
#pragma once

namespace gpuminer {

inline constexpr const char* kThreadColumns[] = {"thread",  "range",   "time",        "avg c/h",
                                                 "max c/h", "min c/h", "total cycles"};

/// Of Interruptions' rows, by how much the slices took longer.
inline constexpr const char* kInterruptionNames[] = {"1 to 10 us", "10 to 100 us", "0.1 to 1 ms", "1 to 10 ms",
                                                     "10 ms and more"};
inline constexpr const char* kInterruptionKeys[] = {"1us", "10us", "100us", "1ms", "10ms"};  ///< in GPUMINER.CSV

}  // namespace gpuminer
