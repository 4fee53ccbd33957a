// Names of the CPU's counter and its unit. Needs no library: baremetal/ has none.
#pragma once

namespace gpuminer {

struct CycleCounterWords {
    const char* instruction;  ///< what reads it
    const char* units;
    const char* short_units;  ///< "total cycles"
    const char* per_hash;     ///< "c/h"
};

}  // namespace gpuminer
