#include "net/pool/share_flood.hpp"

#include <chrono>
#include <utility>

namespace gpuminer::net {

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
