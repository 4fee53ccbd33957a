#include "net/transport/backoff.hpp"

#include <algorithm>

namespace gpuminer::net {

std::chrono::milliseconds Backoff::next() {
    constexpr std::chrono::milliseconds kLongest{60'000};
    const auto pause = next_;
    next_ = std::max(first_, std::min(kLongest, 2 * next_));
    const double jitter = std::uniform_real_distribution<>(0.75, 1.25)(random_);
    return std::chrono::milliseconds{static_cast<std::int64_t>(static_cast<double>(pause.count()) * jitter)};
}

std::chrono::milliseconds Backoff::soon() {
    const auto longest = std::min(first_, std::chrono::milliseconds(1000)).count();
    return std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(0, longest)(random_));
}

}  // namespace gpuminer::net
