// The hits of a search: sorted, each once, bounded in number.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "host/block/hash256.hpp"
#include "host/mutex.hpp"
#include "host/search/search_record.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer {

/// May be used from any thread.
class HitList {
public:
    HitList(Goal goal, std::uint64_t max_results) : goal_(goal), max_results_(goal == Goal::kAll ? max_results : 1) {}

    /// Returns the key above which no further hit matters, once there is one. Goal::kFirst: later hits are
    /// ignored. Otherwise the lowest are kept; a hit that is found twice counts once.
    std::optional<HitKey> add(HitKey key, const Hash256& hash) {
        const MutexLock lock(mutex_);
        if (goal_ != Goal::kFirst || hits_.empty()) hits_.emplace(key, hash);
        if (hits_.size() > capacity()) hits_.erase(std::prev(hits_.end()));
        return hits_.size() == capacity() ? std::optional(std::prev(hits_.end())->first) : std::nullopt;
    }

    [[nodiscard]] bool empty() const {
        const MutexLock lock(mutex_);
        return hits_.empty();
    }
    /// Whether there were more than max_results; the surplus is dropped.
    [[nodiscard]] bool truncate() {
        const MutexLock lock(mutex_);
        if (goal_ != Goal::kAll || hits_.size() <= max_results_) return false;
        hits_.erase(std::prev(hits_.end()));
        return true;
    }
    /// Ascending.
    [[nodiscard]] std::map<HitKey, Hash256> entries() const {
        const MutexLock lock(mutex_);
        return hits_;
    }

private:
    /// Goal::kAll keeps one hit more than it reports: its presence says that the list was cut.
    [[nodiscard]] std::uint64_t capacity() const {
        const bool spare = goal_ == Goal::kAll && max_results_ < std::numeric_limits<std::uint64_t>::max();
        return max_results_ + (spare ? 1 : 0);
    }

    const Goal goal_;
    const std::uint64_t max_results_;
    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    std::map<HitKey, Hash256> hits_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
