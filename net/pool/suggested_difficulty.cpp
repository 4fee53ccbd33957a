#include "net/pool/suggested_difficulty.hpp"

#include <algorithm>
#include <chrono>

#include "host/block/hash256.hpp"

namespace gpuminer::net {

double difficulty_for(double difficulty, double interval, double hash_rate) {
    const double by_rate = hash_rate > 0 ? hash_rate * kShareSeconds / kHashesPerDifficulty : 0;
    return std::max(by_rate, interval > 0 ? difficulty * kShareSeconds / interval : difficulty);
}

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
