// A rate limit: a burst, and a number per second in the long run.
#pragma once

#include <algorithm>
#include <chrono>

#include "net/steady_time.hpp"

namespace gpuminer::net {

class TokenBucket {
public:
    TokenBucket(double most, double per_second) : most_(most), per_second_(per_second), tokens_(most) {}

    /// False: it is one too many. Times never go back.
    [[nodiscard]] bool take(SteadyTime now) {
        if (last_ != SteadyTime{}) {
            tokens_ = std::min(most_, tokens_ + per_second_ * std::chrono::duration<double>(now - last_).count());
        }
        last_ = now;
        if (tokens_ < 1) return false;
        --tokens_;
        return true;
    }

private:
    const double most_, per_second_;
    double tokens_;
    SteadyTime last_{};
};

}  // namespace gpuminer::net
