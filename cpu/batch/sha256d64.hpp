// Batches of double SHA-256 over 64-byte inputs: the nodes of a merkle tree, level by level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuminer {

/// out[i] = SHA-256(SHA-256(in[i])) for `count` inputs: `in` holds count × 64 bytes, `out` gets count × 32 bytes, both
/// without gaps, of any alignment; hashes in the order in which SHA-256 gives their bytes ("internal", not as block
/// explorers print them). `out` may be `in` (a level of a tree turns into the next in place); overlap in any other way
/// is not allowed. A count of zero does nothing. Never fails; any number of threads may call it.
///
/// Uses the instruction sets that this CPU has, by the number of inputs: the first call times them (about half a
/// millisecond, once per process).
void sha256d64(std::uint8_t* out, const std::uint8_t* in, std::size_t count);

}  // namespace gpuminer
