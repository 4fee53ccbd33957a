#include "cpu/form_watch.hpp"

#include <algorithm>
#include <limits>

namespace gpuminer::cpu {

bool FormWatch::due(double now) {
    if (others_.empty()) return false;
    now_ = now;
    if (!due_) due_ = now + interval_;
    return faster_in_a_row_ > 0 || now >= *due_;
}

std::optional<FormWatch::Change> FormWatch::compare(const std::function<double(const Isa&)>& time) {
    constexpr double kLongestInterval = 60;
    const Isa*& other = others_[next_];
    double best = std::numeric_limits<double>::infinity(), best_of_other = best;
    for (std::uint64_t round = 0; round < kRounds; ++round) {  // in turns: what disturbs one form disturbs both
        best = std::min(best, time(*current_));
        best_of_other = std::min(best_of_other, time(*other));
    }
    const double ratio = best / best_of_other;
    if (ratio >= kClearly && ++faster_in_a_row_ < kTimesInARow) return std::nullopt;
    std::optional<Change> change;
    if (faster_in_a_row_ == kTimesInARow) {
        change = Change{current_, other, ratio};
        std::swap(current_, other);
    }
    faster_in_a_row_ = 0;
    next_ = (next_ + 1) % others_.size();
    interval_ = std::min(2 * interval_, kLongestInterval);
    due_ = now_ + interval_;
    return change;
}

}  // namespace gpuminer::cpu
