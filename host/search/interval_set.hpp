// Sets of 64-bit positions as disjoint intervals: the completed part of a search.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gpuminer {

/// Positions first … end-1.
struct Interval {
    std::uint64_t first = 0;
    std::uint64_t end = 0;  ///< >= first

    friend bool operator==(const Interval&, const Interval&) = default;
};

/// Neighbours are merged, so that work that is done from its beginning on takes one entry.
class IntervalSet {
public:
    void add(Interval interval);
    void remove(Interval interval);

    /// Of the interval that holds `position`: its end. Empty: none does.
    [[nodiscard]] std::optional<std::uint64_t> end_at(std::uint64_t position) const;
    /// Of the first interval that begins above `position`: its first position. Empty: none does.
    [[nodiscard]] std::optional<std::uint64_t> first_above(std::uint64_t position) const;
    /// Number of positions in it.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return intervals_.empty(); }
    /// First positions and ends, ascending; no interval touches the next.
    [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& intervals() const { return intervals_; }

    friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

private:
    std::map<std::uint64_t, std::uint64_t> intervals_;
    std::uint64_t size_ = 0;
};

/// Compacts a worker's completed intervals to half their number: the nearest become one, and with them what others
/// searched in between. At least one.
void merge_nearest(std::vector<Interval>& intervals);

}  // namespace gpuminer
