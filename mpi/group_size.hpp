// The amount of work that a rank takes from the common cursor at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

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

}  // namespace gpuminer::mpi
