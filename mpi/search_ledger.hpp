// Rank 0's account of a search over all ranks: completed work, returned work, hits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/mutex.hpp"
#include "host/search/request_hits.hpp"
#include "host/search/search_record.hpp"
#include "host/search/version_space.hpp"

namespace gpuminer::mpi {

/// May be used from any thread: the checkpoint's reads it.
class SearchLedger {
public:
    /// Goes on from `earlier`, which fits the request (RequestSource has looked). Its groups are those of the search.
    SearchLedger(const SearchRequest& request, const SearchRecord& earlier);

    /// One that a rank has found: hashed again. Throws InputError where it is no hit. To be called before add_done() of
    /// the work that it was found in.
    void add_hit(const HitKey& hit);
    void add_done(const IntervalSet& done);
    /// Done by a device that is not to be trusted; its rank searches it again.
    void remove_done(const IntervalSet& undone);
    /// Taken and not done, by a rank that has no device left.
    void give_back(const std::vector<Interval>& positions);
    /// At most `count` positions of what was given back, the lowest first.
    [[nodiscard]] std::vector<Interval> take_back(std::uint64_t count);

    /// The goal is reached, or everything that may still matter is done.
    [[nodiscard]] bool finished() const;
    /// Units that start after it need not be searched.
    [[nodiscard]] std::optional<UnitKey> bound() const;
    [[nodiscard]] SearchRecord record() const;
    /// Positions in all, and those done.
    [[nodiscard]] std::uint64_t positions() const { return versions_.groups() * nonces_; }
    [[nodiscard]] std::uint64_t done() const;
    [[nodiscard]] std::uint32_t group_size() const { return versions_.group_size(); }
    /// To be called once, at the end.
    [[nodiscard]] WorkResult result();

private:
    const SearchRequest request_;
    const std::uint64_t nonces_;
    const VersionSpace versions_;

    mutable Mutex mutex_;  ///< the hits' is taken within it
    RequestHits hits_;
    IntervalSet done_ GPUMINER_GUARDED_BY(mutex_);
    IntervalSet given_back_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<UnitKey> bound_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer::mpi
