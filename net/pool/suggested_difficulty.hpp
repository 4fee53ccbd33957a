// The difficulty that pools are asked for (mining.suggest_difficulty): the user's, or one that fits the devices' rate.
#pragma once

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

}  // namespace gpuminer::net
