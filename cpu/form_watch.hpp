// Comparison of the form of the search that a CPU thread runs with the others, on the thread's own work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cpu/isa.hpp"

namespace gpuminer::cpu {

class FormWatch {
public:
    /// Hashes that a comparison takes: kRounds small searches with either form.
    static constexpr std::uint64_t kRounds = 4;
    static constexpr std::uint64_t kHashes = 2048;

    /// `others`: what may run in place of `current`.
    FormWatch(const Isa& current, std::vector<const Isa*> others) : current_(&current), others_(std::move(others)) {}

    [[nodiscard]] const Isa& current() const { return *current_; }
    /// Whether the next comparison should be made. `now`: seconds on any steady clock. The first is due 1 s after the
    /// first call, then each after twice the time, up to a minute.
    [[nodiscard]] bool due(double now);

    struct Change {
        const Isa* from;
        const Isa* to;
        double ratio;  ///< of the rates, at least kClearly
    };
    /// Compares the current form with the next one in turn; due() has just said that it should. `time` searches kHashes
    /// of the work with a form and returns how long that took, in any unit. A form that is clearly faster is compared
    /// again at once; when it has been three times in a row, it becomes the current one.
    [[nodiscard]] std::optional<Change> compare(const std::function<double(const Isa&)>& time);

private:
    static constexpr double kClearly = 1.05;
    static constexpr unsigned kTimesInARow = 3;

    const Isa* current_;
    std::vector<const Isa*> others_;
    std::size_t next_ = 0;
    unsigned faster_in_a_row_ = 0;
    double interval_ = 1;  ///< seconds
    double now_ = 0;       ///< of the latest due()
    std::optional<double> due_;
};

}  // namespace gpuminer::cpu
