// The columns of the table of threads, as the original experiment has them; docs/bare-metal.md says what they mean.
// Needs no library: baremetal/ has none.
#pragma once

namespace gpuminer {

inline constexpr const char* kThreadColumns[] = {"thread",  "range",   "time",        "avg c/h",
                                                 "max c/h", "min c/h", "total cycles"};

}  // namespace gpuminer
