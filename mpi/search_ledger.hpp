// Rank 0's account of a search over all ranks: completed work and hits.
#pragma once

#include <cstdint>
#include <optional>

#include "host/mutex.hpp"
#include "host/search/request_record.hpp"
#include "host/search/search_types.hpp"
#include "host/search/work_account.hpp"

namespace gpuminer::mpi {

/// May be used from any thread: the checkpoint's reads it.
class SearchLedger {
public:
    /// Goes on from `earlier`, which fits the request (RequestSource has looked). Its groups are those of the search.
    SearchLedger(const SearchRequest& request, const SearchRecord& earlier)
        : record_(request, earlier.group_size, true), work_{earlier.done, {}} {
        for (const HitKey& hit : earlier.hits) record_.add(hit);
    }

    /// One that a rank has found: hashed again. Throws InputError where it is no hit. To be called before add() of the
    /// work that it was found in.
    void add_hit(const HitKey& hit) { record_.add(hit); }
    /// What a rank's devices have done. (What is undone the rank searches again.)
    void add(const DoneWork& news) {
        const MutexLock lock(mutex_);
        work_.add(news);
    }

    /// The goal is reached, or everything that may still matter is done.
    [[nodiscard]] bool finished() const {
        const MutexLock lock(mutex_);
        const std::uint64_t first_left = work_.done.end_at(0).value_or(0);
        // Units begin anywhere: what has to be done is all up to the bound.
        return record_.goal_reached() || first_left >= positions() ||
               record_.space().key(first_left) > bound().value_or(kNoBound);
    }
    /// Units that start after it need not be searched.
    [[nodiscard]] std::optional<UnitKey> bound() const { return record_.bound(); }
    [[nodiscard]] SearchRecord record() const {
        const MutexLock lock(mutex_);
        return record_.record(work_.done);
    }
    /// Positions in all, and those done.
    [[nodiscard]] std::uint64_t positions() const { return record_.space().positions(); }
    [[nodiscard]] std::uint64_t done() const {
        const MutexLock lock(mutex_);
        return work_.done.size();
    }
    [[nodiscard]] std::uint32_t group_size() const { return record_.versions().group_size(); }
    [[nodiscard]] WorkResult result() const { return record_.result(finished()); }

private:
    RequestRecord record_;

    mutable Mutex mutex_;  ///< the record's is taken within it
    DoneWork work_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer::mpi
