#include "net/pool/suggested_difficulty.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

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

ShareFlood::Step ShareFlood::found(SteadyTime now) {
    found_.push_back(now);
    if (found_.size() <= kShares) return Step::kNothing;
    found_.pop_front();
    if (const Step step = calm_down(now); step != Step::kNothing) return step;
    if (interval_ >= kShortest || summing_) return Step::kNothing;
    if (!std::exchange(suggested_, true)) {
        since_then_ = 0;
        return Step::kSuggest;
    }
    if (++since_then_ < kShares) return Step::kNothing;
    summing_ = true;
    return Step::kSum;
}

ShareFlood::Step ShareFlood::tick(SteadyTime now) { return found_.size() < kShares ? Step::kNothing : calm_down(now); }

ShareFlood::Step ShareFlood::calm_down(SteadyTime now) {
    interval_ = std::chrono::duration<double>(now - found_.front()).count() / static_cast<double>(found_.size());
    if (interval_ < 2 * kShortest) return Step::kNothing;
    suggested_ = false;
    return std::exchange(summing_, false) ? Step::kOver : Step::kNothing;
}

}  // namespace gpuminer::net
