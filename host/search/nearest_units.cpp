#include "host/search/nearest_units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace gpuminer {
namespace {

constexpr std::uint64_t kNoGap = std::numeric_limits<std::uint64_t>::max();

/// Nonces between two units; kNoGap where they are of different groups.
std::uint64_t gap_between(const WorkUnit& unit, const WorkUnit& next) {
    if (unit.group != next.group) return kNoGap;
    const std::uint64_t end = unit.nonces.first + unit.nonces.count;
    return next.nonces.first > end ? next.nonces.first - end : 0;
}

}  // namespace

void merge_nearest(std::vector<WorkUnit>& units) {
    std::ranges::sort(units, {}, &WorkUnit::key);
    std::vector<std::uint64_t> gaps;
    for (std::size_t i = 1; i < units.size(); ++i) gaps.push_back(gap_between(units[i - 1], units[i]));
    std::vector<std::uint64_t> sorted = gaps;
    const auto median = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, median);
    auto of_median = units.size() / 2 - static_cast<std::size_t>(std::ranges::count_if(
                                            gaps, [&](std::uint64_t gap) { return gap < *median; }));
    std::vector<WorkUnit> merged = {units.front()};
    for (std::size_t i = 1; i < units.size(); ++i) {
        const std::uint64_t gap = gaps[i - 1];
        if (gap < *median || (gap == *median && gap != kNoGap && of_median > 0 && of_median-- > 0)) {
            NonceRange& cover = merged.back().nonces;
            const std::uint64_t offset = units[i].nonces.first - cover.first;
            cover.count = std::max(cover.count, offset + units[i].nonces.count);
        } else {
            merged.push_back(units[i]);
        }
    }
    units = std::move(merged);
}

}  // namespace gpuminer
