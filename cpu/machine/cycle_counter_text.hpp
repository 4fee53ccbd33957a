// Report text about the CPU's counter.
#pragma once

#include <string>

#include "cpu/machine/cycle_counter_words.hpp"

namespace gpuminer {

/// "c/h: reference cycles per hash, counted by rdtscp at 2.450 GHz".
[[nodiscard]] std::string counted_text(const CycleCounterWords& words, double hz);
/// What a report says instead where there is no counter.
[[nodiscard]] std::string not_counted_text(const CycleCounterWords& words);

}  // namespace gpuminer
