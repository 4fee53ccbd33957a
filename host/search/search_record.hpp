// A search's progress, in a form from which another search can resume.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "host/search/interval_set.hpp"

namespace gpuminer {

/// A hit: one (version, nonce) pair of the search space.
struct HitKey {
    std::uint32_t version = 0;
    std::uint32_t nonce = 0;

    friend auto operator<=>(const HitKey&, const HitKey&) = default;
};

/// The hits of all that is done are among `hits`, whatever the goal of the search was.
struct SearchRecord {
    /// Versions that are searched together: a power of two. 0: nothing is done, and the goal decides.
    std::uint32_t group_size = 0;
    /// Positions of nonces, for all versions of a group: group × nonces of the range + nonce − first nonce.
    IntervalSet done;
    std::vector<HitKey> hits;  ///< in the order in which they were found, each once

    friend bool operator==(const SearchRecord&, const SearchRecord&) = default;
};

}  // namespace gpuminer
