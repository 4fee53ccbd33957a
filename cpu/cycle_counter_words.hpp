// How reports name a CPU's counter and what it counts.
#pragma once

#include <string>

namespace gpuminer {

struct CycleCounterWords {
    const char* instruction;  ///< what reads it
    const char* units;
    const char* short_units;  ///< "total cycles"
    const char* per_hash;     ///< "c/h"
};

/// "c/h: reference cycles per hash, counted by rdtscp at 2.450 GHz".
[[nodiscard]] std::string counted_text(const CycleCounterWords& words, double hz);
/// What a report says instead where there is no counter.
[[nodiscard]] std::string not_counted_text(const CycleCounterWords& words);

}  // namespace gpuminer
