#include "cpu/machine/cycle_counter_text.hpp"

#include <fmt/format.h>

namespace gpuminer {

std::string counted_text(const CycleCounterWords& words, double hz) {
    const std::string frequency = hz < 1e9 ? fmt::format("{:.3f} MHz", hz / 1e6) : fmt::format("{:.3f} GHz", hz / 1e9);
    return fmt::format("{}: {} per hash, counted by {} at {}", words.per_hash, words.units, words.instruction,
                       frequency);
}

std::string not_counted_text(const CycleCounterWords& words) {
    return fmt::format("this machine has no {}: {} are not counted", words.instruction, words.short_units);
}

}  // namespace gpuminer
