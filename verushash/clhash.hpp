// CLHash as VerusHash 2.2 has it ("sv2.2"), portable: a hash of 64 bytes under a key of 8,832 bytes, which it changes
// on its way. docs/verushash.md describes its operations; the definition is VerusCoin, src/crypto/verus_clhash.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "verushash/vector128.hpp"

namespace gpuminer::verushash {

inline constexpr std::size_t kKeyVectors = 552;      ///< 8,832 bytes
inline constexpr std::size_t kMutableVectors = 512;  ///< CLHash changes only the first of them

using Key = std::array<Vector128, kKeyVectors>;

/// Haraka-256 of the seed, of that, of that, …: 276 times 32 bytes.
[[nodiscard]] Key make_key(std::span<const std::uint8_t, 32> seed);

/// The hash, 64 bits; `key` is left as the 32 rounds have changed it.
[[nodiscard]] std::uint64_t clhash(Key& key, std::span<const std::uint8_t, 64> input);

}  // namespace gpuminer::verushash
