// The hash rate that a pool has been told, and when it is told another.
#pragma once

#include <optional>

#include "net/steady_time.hpp"

namespace gpuminer::net::sv2 {

/// Rates are hashes per second.
class RateReport {
public:
    /// The pool has been told this one.
    void told(double rate, SteadyTime now);
    /// About once a second, times never going back; 0: not known. Empty, but where the rate has differed by more than a
    /// quarter for 30 s, and the pool was told the last one at least a minute ago: then the one to tell it.
    [[nodiscard]] std::optional<double> look(double rate, SteadyTime now);
    [[nodiscard]] double last() const { return told_; }

private:
    double told_ = 0;
    SteadyTime at_{};
    std::optional<SteadyTime> differs_since_;
};

}  // namespace gpuminer::net::sv2
