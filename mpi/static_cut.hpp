// --partition static over ranks: the remaining work, cut into one piece for each rank by measured rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/search/interval_set.hpp"

namespace gpuminer::mpi {

/// The rate that a rank is cut by: an average over half a second, from when its devices have had enough work.
class CutRate {
public:
    using Clock = std::chrono::steady_clock;

    /// `completed`: positions so far.
    void observe(Clock::time_point now, std::uint64_t completed);
    /// Positions a second; 0: not measured yet.
    [[nodiscard]] double rate() const { return rate_; }

private:
    struct Point {
        Clock::time_point at;
        std::uint64_t completed;
    };

    double rate_ = 0;
    std::optional<Point> begun_, settled_;  ///< the first work was completed; groups have grown to the rate
    std::uint64_t counted_ = 0;
};

/// One piece of `rest` for each rate, in this order, without gaps; empty ones where the rate is 0. At least one is not.
[[nodiscard]] std::vector<Interval> cut_by_rate(Interval rest, const std::vector<double>& rates);

}  // namespace gpuminer::mpi
