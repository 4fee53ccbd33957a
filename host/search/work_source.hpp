// Interface between the workers of a search and their work: one SearchRequest, or a stream of mining jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "host/search/partition.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer {

/// Versions that share one ScanJob: where a CPU gains most, and a GPU as much as with any other number
/// (docs/results).
inline constexpr std::uint32_t kVersionsPerJob = 8;

/// Versions of one header: a group of the partition.
struct VersionGroup {
    BlockHeader header;  ///< its version and nonce are replaced
    Hash256 target;      ///< display order
    std::vector<std::uint32_t> versions;
    bool first_hit_only = false;  ///< no other hit of the group is wanted
    /// Takes a hit that the checker has confirmed. Valid as long as the source.
    std::function<void(const Hit& hit)> found;
};

/// What a source has to report once its workers have ended.
struct WorkResult {
    bool finished = false;   ///< the goal is reached or the whole space is searched
    std::vector<Hit> hits;   ///< ascending by version, then nonce
    bool truncated = false;  ///< there were more
};

/// All members but result() may be called from any thread.
class WorkSource {
public:
    virtual ~WorkSource() = default;
    WorkSource() = default;
    WorkSource(const WorkSource&) = delete;
    WorkSource& operator=(const WorkSource&) = delete;

    /// Of the nonces of all groups.
    [[nodiscard]] virtual Partition& partition() = 0;
    /// Group `number` of the partition. Empty: its job is no longer kept, or has no header for it yet; the partition
    /// then drops what is given back of it, or holds it.
    [[nodiscard]] virtual std::optional<VersionGroup> group(std::uint64_t number) = 0;
    /// Versions of a group, at most.
    [[nodiscard]] virtual std::uint32_t group_size() const = 0;
    /// Number of jobs so far: units that follow a change of it belong to another job than those before.
    [[nodiscard]] virtual std::uint64_t generation() const = 0;
    /// Nonces × versions; saturates at 2^64-1. Empty: there is no total.
    [[nodiscard]] virtual std::optional<std::uint64_t> total_hashes() const = 0;
    /// Of these, hashed by earlier searches from whose record this one goes on.
    [[nodiscard]] virtual std::uint64_t hashes_before() const { return 0; }
    /// To be called once, when no worker uses the source any more.
    [[nodiscard]] virtual WorkResult result() = 0;
};

}  // namespace gpuminer
