// Counting of the units that a partition hands out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "host/search/partition.hpp"
#include "tests/catch.hpp"

namespace gpuminer::test {

inline constexpr auto kStatic = PartitionMode::kStatic;
inline constexpr auto kDynamic = PartitionMode::kDynamic;
inline constexpr std::uint64_t kAllNonces = std::uint64_t{1} << 32;

using Counts = std::map<std::pair<std::uint64_t, std::uint64_t>, int>;  // (group, nonce) -> times

inline void count(Counts& counts, const WorkUnit& unit) {
    for (std::uint64_t i = 0; i < unit.nonces.count; ++i) ++counts[{unit.group, unit.nonces.first + i}];
}

inline bool each_once(const Counts& counts, std::size_t expected) {
    return counts.size() == expected &&
           std::all_of(counts.begin(), counts.end(), [](const auto& entry) { return entry.second == 1; });
}

}  // namespace gpuminer::test
