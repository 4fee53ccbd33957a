#include "host/search/nearest_intervals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gpuminer {

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
