#include "bench/workloads/known_hits.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "bench/workloads/test_block.hpp"
#include "host/block/algorithm.hpp"
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
constexpr KnownHit kVerusHits[] = {
#include "bench/workloads/known_hits_verushash.inc"
};
constexpr NonceRange kVerusRange{0, std::uint64_t{1} << 26};

std::span<const KnownHit> list_of(bool rolled) { return rolled ? std::span<const KnownHit>(kRolledHits) : kFixedHits; }

KnownSearch bitcoin_search(bool rolled) {
    return {rolled ? "rolled" : "fixed",   known_job(),         known_target(), rolled ? kKnownVersionMask : 0,
            known_versions(rolled).size(), known_range(rolled), list_of(rolled)};
}

KnownSearch verus_search(const Algorithm& verushash) {
    const BlockHeader header = parse_header_hex(verushash.embedded_blocks().front().header_hex, verushash).header;
    return {"fixed", header.with_nonce(kVerusHits[0].nonce), known_target(), 0, 1, kVerusRange, kVerusHits};
}

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

std::vector<KnownHit> known_hits(bool rolled, NonceRange part) { return bitcoin_search(rolled).hits(part); }

std::vector<KnownHit> KnownSearch::hits(NonceRange part) const {
    std::vector<KnownHit> found;
    std::ranges::copy_if(all_hits, std::back_inserter(found), [&](const KnownHit& hit) {
        return hit.nonce >= part.first && hit.nonce - part.first < part.count;
    });
    return found;
}

std::vector<KnownSearch> known_searches(const Algorithm& algorithm) {
    if (&algorithm == &kSha256d) return {bitcoin_search(false), bitcoin_search(true)};
    return {verus_search(algorithm)};
}

}  // namespace gpuminer::bench
