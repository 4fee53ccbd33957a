#include "host/search/interval_set.hpp"

#include <algorithm>
#include <iterator>

namespace gpuminer {

void IntervalSet::add(Interval interval) {
    if (interval.first >= interval.end) return;
    auto next = intervals_.upper_bound(interval.first);
    if (next != intervals_.begin() && std::prev(next)->second >= interval.first) --next;
    while (next != intervals_.end() && next->first <= interval.end) {
        interval.first = std::min(interval.first, next->first);
        interval.end = std::max(interval.end, next->second);
        size_ -= next->second - next->first;
        next = intervals_.erase(next);
    }
    intervals_.emplace_hint(next, interval.first, interval.end);
    size_ += interval.end - interval.first;
}

void IntervalSet::remove(Interval interval) {
    if (interval.first >= interval.end) return;
    auto next = intervals_.upper_bound(interval.first);
    if (next != intervals_.begin() && std::prev(next)->second > interval.first) --next;
    while (next != intervals_.end() && next->first < interval.end) {
        const auto [first, end] = *next;
        next = intervals_.erase(next);
        size_ -= end - first;
        if (first < interval.first) {
            intervals_.emplace(first, interval.first);
            size_ += interval.first - first;
        }
        if (end > interval.end) {
            intervals_.emplace(interval.end, end);
            size_ += end - interval.end;
        }
    }
}

std::optional<std::uint64_t> IntervalSet::end_at(std::uint64_t position) const {
    const auto next = intervals_.upper_bound(position);
    if (next == intervals_.begin() || std::prev(next)->second <= position) return std::nullopt;
    return std::prev(next)->second;
}

std::optional<std::uint64_t> IntervalSet::first_above(std::uint64_t position) const {
    const auto next = intervals_.upper_bound(position);
    return next != intervals_.end() ? std::optional(next->first) : std::nullopt;
}

}  // namespace gpuminer
