#include "host/search/hash_budget.hpp"

#include <algorithm>

namespace gpuminer {

bool HashBudget::grant(double hashes, double most) {
    const MutexLock lock(mutex_);
    most_.store(static_cast<std::uint64_t>(std::clamp(most, 1.0, 1e18)), std::memory_order_relaxed);
    const bool overdrawn = account_ < 0;
    account_ = std::min(account_ + hashes, most);
    partition_.set_hold(Hold::kLimit, account_ <= 0);
    return overdrawn;
}

void HashBudget::charge(std::uint64_t hashes) {
    if (most_.load(std::memory_order_relaxed) == kUnlimited) return;
    const MutexLock lock(mutex_);
    account_ -= static_cast<double>(hashes);
    partition_.set_hold(Hold::kLimit, account_ <= 0);
}

std::uint64_t HashBudget::unit_hashes() const {
    const std::uint64_t most = most_.load(std::memory_order_relaxed);
    if (most == kUnlimited) return most;
    return most / std::max<std::uint64_t>(partition_.workers_at_work(), 1);
}

}  // namespace gpuminer
