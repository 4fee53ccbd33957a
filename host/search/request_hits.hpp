// The hits of a search: as its goal wants them, and all of them in the order in which they were found.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "host/search/hit_list.hpp"
#include "host/search/hit_record.hpp"
#include "host/search/partition.hpp"
#include "host/search/search_record.hpp"
#include "host/search/version_space.hpp"
#include "host/search/work_source.hpp"

namespace gpuminer {

/// What a hit means to the search.
struct HitEffect {
    bool goal_reached = false;     ///< nothing more is wanted
    std::optional<UnitKey> bound;  ///< units that start after it need not be searched any more
};

/// May be used from any thread.
class RequestHits {
public:
    /// `versions`: those of the request, in the groups in which they are searched. Both outlive it. `recording`: all
    /// hits are kept for recorded().
    RequestHits(const SearchRequest& request, const VersionSpace& versions, bool recording);

    /// One that the checker has confirmed.
    HitEffect add(HitKey key, const Hash256& hash);
    /// One that somebody has written or sent: hashed again. Throws InputError where it is no hit of the request.
    HitEffect add(HitKey hit);
    [[nodiscard]] bool goal_reached() const { return request_.goal == Goal::kFirst && !hits_.empty(); }
    /// All from number `first` on, in the order in which they were found.
    [[nodiscard]] std::vector<HitKey> recorded(std::size_t first = 0) const { return all_.in_order(first); }
    /// As the goal wants them, with headers and hashes. To be called once.
    void move_to(WorkResult& result);

private:
    const SearchRequest& request_;
    const VersionSpace& versions_;
    const bool recording_;
    HitList hits_;
    HitRecord all_;
};

}  // namespace gpuminer
