#include "bench/workloads/known_hits.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "bench/workloads/test_block.hpp"
#include "host/search/version_space.hpp"

namespace gpuminer::bench {
namespace {

// Ascending by version, then nonce; printed by gpuminer-bench-known-hits.
constexpr KnownHit kFixedHits[] = {
#include "bench/workloads/known_hits_fixed.inc"
};
constexpr KnownHit kRolledHits[] = {
#include "bench/workloads/known_hits_rolled.inc"
};

}  // namespace

BlockHeader known_job() { return block_100000(); }

Hash256 known_target() {
    Hash256 target;
    target.bytes.fill(0xff);
    store_be32(target.bytes, 0, kKnownTargetTop);
    return target;
}

std::vector<std::uint32_t> known_versions(bool rolled) {
    const VersionSpace versions(known_job().version(), rolled ? kKnownVersionMask : 0, 1);
    std::vector<std::uint32_t> all;
    for (std::uint64_t i = 0; i < versions.size(); ++i) all.push_back(versions.version(i));
    return all;
}

std::vector<KnownHit> known_hits(bool rolled, NonceRange part) {
    const std::span<const KnownHit> all = rolled ? std::span<const KnownHit>(kRolledHits) : kFixedHits;
    std::vector<KnownHit> hits;
    std::ranges::copy_if(all, std::back_inserter(hits), [&](const KnownHit& hit) {
        return hit.nonce >= part.first && hit.nonce - part.first < part.count;
    });
    return hits;
}

}  // namespace gpuminer::bench
