// One request and its hits: as its goal wants them, and all of them in the order in which they were found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/mutex.hpp"
#include "host/search/interval_set.hpp"
#include "host/search/search_types.hpp"
#include "host/search/version_space.hpp"
#include "host/search/work_source.hpp"
#include "host/search/work_unit.hpp"

namespace gpuminer {

/// May be used from any thread.
class RequestRecord {
public:
    /// Searched in groups of so many versions. `recording`: all hits are kept for record().
    RequestRecord(const SearchRequest& request, std::uint32_t group_size, bool recording);

    [[nodiscard]] const SearchRequest& request() const { return request_; }
    [[nodiscard]] const VersionSpace& versions() const { return versions_; }
    [[nodiscard]] WorkSpace space() const {
        return {{request_.start, std::uint64_t{request_.end} - request_.start + 1}, versions_.groups()};
    }
    [[nodiscard]] bool recording() const { return recording_; }

    /// One that the checker has confirmed. One that is found twice counts once.
    void add(HitKey key, const Hash256& hash);
    /// One that somebody has written or sent: hashed again. Throws InputError where it is no hit of the request.
    void add(HitKey hit);
    /// Nothing more is wanted.
    [[nodiscard]] bool goal_reached() const;
    /// Units that start after it need not be searched any more. It only ever goes down. Empty: there is none yet.
    [[nodiscard]] std::optional<UnitKey> bound() const;
    /// All from number `first` on, in the order in which they were found.
    [[nodiscard]] std::vector<HitKey> hits_from(std::size_t first) const;

    /// `done`: from before this call, as hits are added before the work that they were found in.
    [[nodiscard]] SearchRecord record(IntervalSet done) const;
    /// The hits that the goal wants, with headers and hashes.
    [[nodiscard]] WorkResult result(bool finished) const;

private:
    /// Goal::kAll keeps one hit more than it reports: its presence says that the list was cut.
    [[nodiscard]] std::uint64_t capacity() const;

    const SearchRequest request_;
    const VersionSpace versions_;
    const bool recording_;

    mutable Mutex mutex_;                                         ///< a leaf: no other mutex is locked while it is held
    std::map<HitKey, Hash256> hits_ GPUMINER_GUARDED_BY(mutex_);  ///< as the goal wants them
    std::vector<HitKey> all_ GPUMINER_GUARDED_BY(mutex_);
    std::set<HitKey> known_ GPUMINER_GUARDED_BY(mutex_);  ///< all, sorted
};

}  // namespace gpuminer
