// Pauses between attempts to reach a server: each longer than the last, jittered so that clients do not act in step.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace gpuminer::net {

class Backoff {
public:
    /// `first`: the first pause. The same seed gives the same row of pauses.
    Backoff(std::chrono::milliseconds first, std::uint64_t seed) : first_(first), next_(first), random_(seed) {}

    /// The pause before the next attempt: first, 2 first, 4 first … up to a minute (or `first`, if that is longer),
    /// each times 0.75 to 1.25.
    [[nodiscard]] std::chrono::milliseconds next();
    /// After a good session: at most a second (or `first`, if that is shorter), so that the miners of a pool that has
    /// been restarted do not come all at once.
    [[nodiscard]] std::chrono::milliseconds soon();
    /// A server was reached and took the login: the next pause is a first one again.
    void reset() { next_ = first_; }

private:
    std::chrono::milliseconds first_;
    std::chrono::milliseconds next_;
    std::mt19937_64 random_;
};

}  // namespace gpuminer::net
