// Steps from the naive loop to the generated kernel: each is a complete search that finds the same nonces as the one
// before it, with less work per nonce.
#pragma once

#include <cstdint>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "kernel/scan_types.hpp"

namespace gpuminer::bench {

/// Appends to `hits`, in ascending order, the nonces of the range with which the header's hash is at or below
/// the target. From `early_exit` on only the hash's top word is compared, as devices do.
using Step = void (*)(const BlockHeader& header, const Hash256& target, NonceRange range,
                      std::vector<std::uint32_t>& hits);

// With the textbook's code (kernel/sha256.hpp), one nonce at a time.
void naive(const BlockHeader&, const Hash256&, NonceRange, std::vector<std::uint32_t>&);
void midstate(const BlockHeader&, const Hash256&, NonceRange, std::vector<std::uint32_t>&);
void early_rounds(const BlockHeader&, const Hash256&, NonceRange, std::vector<std::uint32_t>&);
void constant_schedule(const BlockHeader&, const Hash256&, NonceRange, std::vector<std::uint32_t>&);
void early_exit(const BlockHeader&, const Hash256&, NonceRange, std::vector<std::uint32_t>&);

/// The naive loop with a library's SHA-256, which uses the CPU's SHA instructions where there are any.
struct LibraryStep {
    const char* name;  ///< of the row
    const char* remark;
    Step step;
};
[[nodiscard]] LibraryStep library_step();

}  // namespace gpuminer::bench
