// State that the workers of one search share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "host/notices.hpp"
#include "host/search/best_hash.hpp"
#include "host/search/hash_budget.hpp"
#include "host/search/work_source.hpp"

namespace gpuminer {

/// A device that hangs may keep its worker, and this, beyond the search's end. Each member locks for itself.
struct SearchContext {
    explicit SearchContext(std::shared_ptr<WorkSource> work_source)
        : source(std::move(work_source)), partition(source->partition()) {}

    const std::shared_ptr<WorkSource> source;
    Partition& partition;  ///< the source's
    HashBudget budget{partition};
    Notices notices;
    BestHash best;  ///< of the candidates, whether they meet their target or not
    std::atomic<std::uint64_t> hashes_done = 0;
};

}  // namespace gpuminer
