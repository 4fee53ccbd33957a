// How much work a rank takes from the common cursor at a time.
#pragma once

#include <chrono>
#include <cstdint>

namespace gpuminer::mpi {

/// From the rate at which the rank's devices complete positions: enough for a fraction of a second, so that it asks a
/// few times a second, and near the end less, so that all ranks finish together.
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
    /// Positions to take, at least 1. `left`: what all ranks have not taken yet; `ranks`: at work.
    [[nodiscard]] std::uint64_t next(std::uint64_t left, unsigned ranks);

private:
    const std::uint64_t smallest_;
    std::uint64_t latest_ = 0;  ///< what next() said before the rate was known
    double rate_ = 0;
    Clock::time_point since_;
    std::uint64_t counted_ = 0;
    bool started_ = false;
};

}  // namespace gpuminer::mpi
