// Jobs of `gpuminer bench scan` and the complete lists of their hits, which a device has to find.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "kernel/scan_types.hpp"

namespace gpuminer::bench {

/// Real block 100000, with its true nonce.
[[nodiscard]] BlockHeader known_job();
/// About one hash in a million meets it: the top word is at most this, and all words below are ones.
inline constexpr std::uint32_t kKnownTargetTop = 0x00000fff;
[[nodiscard]] Hash256 known_target();

/// The rolled form searches eight versions: these bits (BIP 320) in all combinations.
inline constexpr std::uint32_t kKnownVersionMask = 0x0000e000;
/// Ascending. Fixed: the block's own alone.
[[nodiscard]] std::vector<std::uint32_t> known_versions(bool rolled);

/// The range whose hits are known. Both have the block's true nonce in them.
[[nodiscard]] constexpr NonceRange known_range(bool rolled) {
    return rolled ? NonceRange{0x10000000, std::uint64_t{1} << 29} : NonceRange{0, std::uint64_t{1} << 32};
}

struct KnownHit {
    std::uint32_t version = 0;
    std::uint32_t nonce = 0;
    friend auto operator<=>(const KnownHit&, const KnownHit&) = default;
};
/// Those of a part of known_range(rolled), ascending by version, then nonce.
[[nodiscard]] std::vector<KnownHit> known_hits(bool rolled, NonceRange part);

/// A search of any algorithm whose hits are all known.
struct KnownSearch {
    const char* form;    ///< "fixed" or "rolled"
    BlockHeader header;  ///< with the nonce of a hit
    Hash256 target;
    std::uint32_t version_mask;  ///< 0: fixed
    std::uint64_t versions;      ///< how many
    NonceRange range;
    std::span<const KnownHit> all_hits;  ///< ascending by version, then nonce

    [[nodiscard]] bool rolled() const { return version_mask != 0; }
    [[nodiscard]] std::vector<KnownHit> hits(NonceRange part) const;
};
/// Bitcoin's block fixed and rolled; of VerusHash its example header.
[[nodiscard]] std::vector<KnownSearch> known_searches(const Algorithm& algorithm);

}  // namespace gpuminer::bench
