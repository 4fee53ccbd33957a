// The lowest hash of a search.
#pragma once

#include <optional>

#include "host/block/hash256.hpp"
#include "host/mutex.hpp"

namespace gpuminer {

/// From any thread.
class BestHash {
public:
    void offer(const Hash256& hash) {
        const MutexLock lock(mutex_);
        if (!best_ || hash <= *best_) best_ = hash;
    }
    /// Empty: none was offered.
    [[nodiscard]] std::optional<Hash256> get() const {
        const MutexLock lock(mutex_);
        return best_;
    }

private:
    mutable Mutex mutex_;
    std::optional<Hash256> best_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
