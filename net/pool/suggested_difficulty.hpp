// Difficulties that fit the hash rate: the one that is suggested to a pool, and the flood of shares that too low a one
// makes.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "net/steady_time.hpp"

namespace gpuminer::net {

/// Between shares, if it is up to the miner.
inline constexpr double kShareSeconds = 7.5;

/// The difficulty at which a share is to be found every kShareSeconds, by the hash rate, and where shares of
/// `difficulty` come every `interval` seconds. The greater of the two. `hash_rate` 0: not known.
[[nodiscard]] double difficulty_for(double difficulty, double interval, double hash_rate);

/// Rates are hashes per second; 0: not known.
class SuggestedDifficulty {
public:
    /// `chosen`: by the user; empty: a share is to be found every kShareSeconds.
    explicit SuggestedDifficulty(std::optional<double> chosen) : chosen_(chosen) {}

    /// For a new connection. Empty: the rate is not known.
    [[nodiscard]] std::optional<double> value(double hash_rate, SteadyTime now);
    /// For the connection in use. Empty: the last one still fits (to a factor of two), or is less than a minute old.
    [[nodiscard]] std::optional<double> update(double hash_rate, SteadyTime now);

private:
    const std::optional<double> chosen_;
    double rate_ = 0;  // that the last one was for
    SteadyTime at_{};
};

/// A flood of shares, caused by a pool's very low difficulty: when to ask for a higher one, and when shares get no
/// journal entries of their own any more.
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
