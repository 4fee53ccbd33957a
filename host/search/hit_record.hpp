// All hits of a search in the order in which they were found, whatever its goal wants of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "host/mutex.hpp"
#include "host/search/hit_list.hpp"

namespace gpuminer {

/// May be used from any thread.
class HitRecord {
public:
    /// A hit that is found twice counts once.
    void add(HitKey key) {
        const MutexLock lock(mutex_);
        if (known_.insert(key).second) keys_.push_back(key);
    }
    /// From number `first` on.
    [[nodiscard]] std::vector<HitKey> in_order(std::size_t first) const {
        const MutexLock lock(mutex_);
        const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(std::min(first, keys_.size()));
        return {begin, keys_.end()};
    }

private:
    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    std::vector<HitKey> keys_ GPUMINER_GUARDED_BY(mutex_);
    std::set<HitKey> known_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
