// Tools for tests of partitions: spaces, partitions with workers, and counting of the units that they hand out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/search/partition.hpp"
#include "tests/catch.hpp"

namespace gpuminer::test {

inline constexpr auto kStatic = PartitionMode::kStatic;
inline constexpr auto kDynamic = PartitionMode::kDynamic;
inline constexpr std::uint64_t kAllNonces = std::uint64_t{1} << 32;

inline WorkSpace space_of(std::uint32_t first, std::uint32_t last, std::uint64_t groups) {
    return {{first, std::uint64_t{last} - first + 1}, groups};
}

/// With so many workers from the beginning, among which it is cut if there are any.
struct TestPartition : Partition {
    TestPartition(PartitionMode mode, std::uint32_t first, std::uint32_t last, std::uint64_t groups,
                  std::size_t workers = 0, std::optional<IntervalSet> done = {})
        : Partition(mode, space_of(first, last, groups), std::move(done)) {
        std::vector<std::size_t> owners;
        while (owners.size() < workers) owners.push_back(add_worker());
        cut(owners);
    }
};

using Counts = std::map<std::pair<std::uint64_t, std::uint64_t>, int>;  // (group, nonce) -> times

inline void count(Counts& counts, const WorkUnit& unit) {
    for (std::uint64_t i = 0; i < unit.nonces.count; ++i) ++counts[{unit.group, unit.nonces.first + i}];
}

inline bool each_once(const Counts& counts, std::size_t expected) {
    return counts.size() == expected &&
           std::all_of(counts.begin(), counts.end(), [](const auto& entry) { return entry.second == 1; });
}

}  // namespace gpuminer::test
