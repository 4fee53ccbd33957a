// Levels of merkle trees, in batches of double SHA-256.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cpu/batch/sha256d64.hpp"

namespace gpuminer {

/// Hashes the pairs of a level, `count` hashes (at least two) of 32 bytes at `in`, into the next one at `out`, which
/// may be `in`, and returns how many that has: (count + 1) / 2. The last hash of an odd number is paired with itself.
inline std::size_t next_merkle_level(std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    constexpr std::size_t kHashBytes = 32;
    const std::size_t pairs = count / 2;
    sha256d64(out, in, pairs);
    if (count % 2 == 0) return pairs;
    std::array<std::uint8_t, 2 * kHashBytes> twice;
    for (const std::size_t at : {std::size_t{0}, kHashBytes})
        std::memcpy(&twice[at], in + (count - 1) * kHashBytes, kHashBytes);
    sha256d64(out + pairs * kHashBytes, twice.data(), 1);
    return pairs + 1;
}

}  // namespace gpuminer
