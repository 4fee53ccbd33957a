// Interface of a mining job from a pool or a node: a row of headers, made as they are needed.
#pragma once

#include <cstdint>
#include <memory>

#include "host/search/search_types.hpp"

namespace gpuminer {

/// Immutable; any number of threads may call it.
class MiningJob {
public:
    virtual ~MiningJob() = default;
    MiningJob() = default;
    MiningJob(const MiningJob&) = delete;
    MiningJob& operator=(const MiningJob&) = delete;

    /// Header number `index`: extranonce and merkle root of its own, rolled version bits and nonce zero. No two
    /// indices have the same header. Its time may depend on when it is asked for. To take less than 20 µs.
    [[nodiscard]] virtual BlockHeader header(std::uint64_t index) const = 0;
    /// Whether there is a header number `index` by now. Where there is none, devices wait until the job is handed out
    /// once more.
    [[nodiscard]] virtual bool has_header(std::uint64_t /*index*/) const { return true; }
    /// Display order. A hash at or below it is a hit.
    [[nodiscard]] virtual Hash256 target() const = 0;
    /// Version bits that the miner may set; all of them are zero in header() (BIP 323: within 0x1fffffe0). 0: none.
    [[nodiscard]] virtual std::uint32_t version_mask() const = 0;
    /// The first hit is all that is wanted (a block, and not shares): the job is over with it.
    [[nodiscard]] virtual bool ends_with_first_hit() const { return false; }
};

/// A hit of a job, confirmed by the checker.
struct JobHit {
    std::shared_ptr<const MiningJob> job;
    std::uint64_t index = 0;  ///< the header's number
    Hit hit;                  ///< its header is complete: with the version, time and nonce that were hashed
};

}  // namespace gpuminer
