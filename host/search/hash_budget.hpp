// Account of the hashes that a search may still do, if its hash rate is limited.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "host/mutex.hpp"
#include "host/search/partition.hpp"

namespace gpuminer {

/// Hashes are charged when a unit of them begins, so that the account is overdrawn by one unit for each worker at most.
/// All members may be called from any thread.
class HashBudget {
public:
    explicit HashBudget(Partition& partition) : partition_(partition) {}

    /// Adds `hashes`; at most `most` (> 0) are kept. True: the account was overdrawn.
    bool grant(double hashes, double most);
    void charge(std::uint64_t hashes);
    /// Of a unit at most, so that all workers together have no more than `most` in flight.
    [[nodiscard]] std::uint64_t unit_hashes() const;

private:
    static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

    Partition& partition_;
    std::atomic<std::uint64_t> most_ = kUnlimited;

    Mutex mutex_;  ///< guards the partition's Hold::kLimit, too; the partition's mutex is taken within it
    double account_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< negative: overdrawn
};

}  // namespace gpuminer
