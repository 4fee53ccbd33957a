// The share of a search that a rank takes: groups from the common cursor, or a piece cut by rate (--partition static).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/search/interval_set.hpp"

namespace gpuminer::mpi {

/// The size of a group, from the rate at which the rank's devices complete positions: enough for a fraction of a
/// second, so that it asks a few times a second, and near the end less, so that all ranks finish together.
class GroupSize {
public:
    using Clock = std::chrono::steady_clock;

    /// `first`: positions of the first group, before anything is measured.
    explicit GroupSize(std::uint64_t first) : smallest_(first) {}

    /// `completed`: positions so far.
    void observe(Clock::time_point now, std::uint64_t completed);
    /// Positions a second; 0: not known yet.
    [[nodiscard]] double rate() const { return rate_; }
    /// Whether a rank that has taken so many positions, and not completed them, is to take more.
    [[nodiscard]] bool is_low(std::uint64_t backlog) const;
    /// What all ranks together have taken by now: how fast they are tells when there will be nothing left, be they as
    /// unlike as they may.
    void saw_taken(Clock::time_point now, std::uint64_t taken);
    /// Positions to take, at least 1. `left`: what was not taken at the last saw_taken(), of which `ranks` take.
    [[nodiscard]] std::uint64_t next(Clock::time_point now, std::uint64_t left, unsigned ranks);

private:
    struct Seen {
        Clock::time_point at;
        std::uint64_t taken;
    };

    [[nodiscard]] double share(Clock::time_point now, std::uint64_t left, unsigned ranks) const;

    const std::uint64_t smallest_;
    std::uint64_t latest_ = 0;  ///< what next() said before the rate was known
    double rate_ = 0;
    Clock::time_point since_;
    std::uint64_t counted_ = 0;
    bool started_ = false;

    std::optional<Seen> first_seen_, middle_seen_;  ///< a window of some seconds, from the first one
    Seen latest_seen_{};
};

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

/// The work that is left when a search begins, numbered contiguously for the ranks' common cursor.
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
