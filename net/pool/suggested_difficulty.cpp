#include "net/pool/suggested_difficulty.hpp"

#include <chrono>

#include "host/block/hash256.hpp"

namespace gpuminer::net {

std::optional<double> SuggestedDifficulty::value(double hash_rate, SteadyTime now) {
    if (chosen_) return chosen_;
    if (!(hash_rate > 0)) return std::nullopt;
    rate_ = hash_rate;
    at_ = now;
    return hash_rate * kShareSeconds / kHashesPerDifficulty;
}

std::optional<double> SuggestedDifficulty::update(double hash_rate, SteadyTime now) {
    const bool much_changed = hash_rate > 0 && (hash_rate > 2 * rate_ || hash_rate < rate_ / 2);
    if (chosen_ || !much_changed || now - at_ < std::chrono::minutes(1)) return std::nullopt;
    return value(hash_rate, now);
}

}  // namespace gpuminer::net
