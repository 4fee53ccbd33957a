#include "net/sv2/rate_report.hpp"

#include <chrono>
#include <cmath>

namespace gpuminer::net::sv2 {

void RateReport::told(double rate, SteadyTime now) {
    told_ = rate;
    at_ = now;
    differs_since_.reset();
}

std::optional<double> RateReport::look(double rate, SteadyTime now) {
    constexpr std::chrono::seconds kLasting{30}, kPause{60};
    if (!(rate > 0) || std::abs(rate - told_) <= told_ / 4) {
        differs_since_.reset();
        return std::nullopt;
    }
    if (!differs_since_) differs_since_ = now;
    if (now - *differs_since_ < kLasting || now - at_ < kPause) return std::nullopt;
    return rate;
}

}  // namespace gpuminer::net::sv2
