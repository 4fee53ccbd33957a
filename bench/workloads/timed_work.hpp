// Rounds of repeated small units of work, and the figures of each round.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

/// Work that consists of many equal units. How many fit a round is measured when the first round begins, which
/// therefore is to be a warm-up.
class TimedWork {
public:
    /// `work(n)` does n units; n is a multiple of `granularity`.
    TimedWork(std::stop_token stop, std::uint64_t granularity, std::function<void(std::uint64_t)> work)
        : stop_(std::move(stop)), granularity_(granularity), work_(std::move(work)) {}

    struct Timing {
        std::uint64_t units;
        double seconds;  ///< of steady_clock
    };
    /// Does as many units as take about so many seconds. Throws Interrupted.
    Timing time(double seconds);
    /// An untimed fraction of such a round, to power up vector units and fill caches. Throws Interrupted.
    void warm_up(double round_seconds);

private:
    void carry_out(std::uint64_t units);
    [[nodiscard]] std::uint64_t units_of(double seconds);

    std::stop_token stop_;
    std::uint64_t granularity_;
    std::function<void(std::uint64_t)> work_;
    double seconds_per_unit_ = 0;  ///< 0: not known yet
};

/// What each round tells besides its value. What the first round tells, the warm-up, is forgotten.
class Figure {
public:
    void add(double value);
    /// Over the rounds; empty where there are none.
    [[nodiscard]] std::optional<double> median() const;
    /// The median, or null.
    [[nodiscard]] Json json() const;
    /// {"p10": …, "p90": …}: what 10 % and 90 % of the rounds stayed below; or null.
    [[nodiscard]] Json spread_json() const;

private:
    bool warm_ = false;
    std::vector<double> values_;
};

}  // namespace gpuminer::bench
