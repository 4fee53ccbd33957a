// The work that is left when a search begins, numbered contiguously for the ranks' common cursor.
#pragma once

#include <cstdint>
#include <vector>

#include "host/search/interval_set.hpp"

namespace gpuminer::mpi {

class RemainingWork {
public:
    /// All of the positions 0 … positions-1 but those that are done.
    RemainingWork(std::uint64_t positions, const IntervalSet& done);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Number first … first+count-1 of what is left, as positions; nothing of what lies beyond the end.
    [[nodiscard]] std::vector<Interval> intervals(std::uint64_t first, std::uint64_t count) const;

private:
    struct Gap {
        std::uint64_t number;  ///< of its first position
        Interval positions;
    };

    std::vector<Gap> gaps_;
    std::uint64_t size_ = 0;
};

}  // namespace gpuminer::mpi
