// Detection of share floods, caused by a pool's very low difficulty: when to ask for a higher one, and when shares get
// no journal entries of their own any more.
#pragma once

#include <cstddef>
#include <deque>

#include "net/steady_time.hpp"

namespace gpuminer::net {

class ShareFlood {
public:
    enum class Step {
        kNothing,
        kSuggest,  ///< the pool is to be asked for more difficulty
        kSum,      ///< it has not helped: from now on summing()
        kOver,     ///< not any more
    };
    /// Averages are over so many shares. Summing begins after so many more that come as fast.
    static constexpr std::size_t kShares = 400;
    /// Seconds between shares: fewer are a flood, which ends at twice as many.
    static constexpr double kShortest = 0.05;

    // Times never go back.
    [[nodiscard]] Step found(SteadyTime now);  ///< a share is found
    [[nodiscard]] Step tick(SteadyTime now);   ///< about once a second
    [[nodiscard]] bool summing() const { return summing_; }
    /// Seconds between the last shares, on average.
    [[nodiscard]] double interval() const { return interval_; }

private:
    [[nodiscard]] Step calm_down(SteadyTime now);

    std::deque<SteadyTime> found_;  // the last ones
    double interval_ = 0;
    bool suggested_ = false;      // in this flood
    std::size_t since_then_ = 0;  // shares
    bool summing_ = false;
};

}  // namespace gpuminer::net
