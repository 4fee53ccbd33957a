#include "host/search/interval_set.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

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

void merge_nearest(std::vector<Interval>& intervals) {
    std::ranges::sort(intervals, {}, &Interval::first);
    std::vector<std::uint64_t> gaps;
    for (std::size_t i = 1; i < intervals.size(); ++i) {
        const std::uint64_t end = intervals[i - 1].end;
        gaps.push_back(std::max(intervals[i].first, end) - end);
    }
    std::vector<std::uint64_t> sorted = gaps;
    const auto median = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, median);
    auto of_median = intervals.size() / 2 - static_cast<std::size_t>(std::ranges::count_if(
                                                gaps, [&](std::uint64_t gap) { return gap < *median; }));
    std::vector<Interval> merged = {intervals.front()};
    for (std::size_t i = 1; i < intervals.size(); ++i) {
        const std::uint64_t gap = gaps[i - 1];
        if (gap < *median || (gap == *median && of_median > 0 && of_median-- > 0)) {
            merged.back().end = std::max(merged.back().end, intervals[i].end);
        } else {
            merged.push_back(intervals[i]);
        }
    }
    intervals = std::move(merged);
}

}  // namespace gpuminer
