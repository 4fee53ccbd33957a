#include "mpi/remaining_work.hpp"

#include <algorithm>

namespace gpuminer::mpi {

RemainingWork::RemainingWork(std::uint64_t positions, const IntervalSet& done) {
    std::uint64_t next = 0;
    const auto add_gap = [this](Interval gap) {
        if (gap.first >= gap.end) return;
        gaps_.push_back({size_, gap});
        size_ += gap.end - gap.first;
    };
    for (const auto& [first, end] : done.intervals()) {
        add_gap({next, first});
        next = end;
    }
    add_gap({next, positions});
}

std::vector<Interval> RemainingWork::intervals(std::uint64_t first, std::uint64_t count) const {
    std::vector<Interval> result;
    if (first >= size_) return result;
    const std::uint64_t end = first + std::min(count, size_ - first);
    auto gap = std::ranges::upper_bound(gaps_, first, {}, &Gap::number) - 1;
    for (; gap != gaps_.end() && gap->number < end; ++gap) {
        const std::uint64_t from = std::max(first, gap->number) - gap->number;
        const std::uint64_t length = gap->positions.end - gap->positions.first;
        result.push_back({gap->positions.first + from, gap->positions.first + std::min(length, end - gap->number)});
    }
    return result;
}

}  // namespace gpuminer::mpi
