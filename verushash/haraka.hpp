// Haraka v2, portable: hashes of 256 and 512 bits to 256 bits, made of AES rounds. (Kölbl and others, "Haraka v2 –
// Efficient Short-Input Hashing for Post-Quantum Applications", 2016.)
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "host/block/hash256.hpp"
#include "verushash/vector128.hpp"

namespace gpuminer::verushash {

using HarakaKey = std::span<const Vector128, 40>;

[[nodiscard]] Digest haraka256(std::span<const std::uint8_t, 32> input);
[[nodiscard]] Digest haraka512(std::span<const std::uint8_t, 64> input);
/// With these round keys in place of Haraka's own constants.
[[nodiscard]] Digest haraka512(std::span<const std::uint8_t, 64> input, HarakaKey round_keys);

/// Columns of two states take turns: what Haraka-256 does after each of its rounds, and CLHash between AES rounds.
struct MixedStates {
    Vector128 first;
    Vector128 second;
};
[[nodiscard]] MixedStates mix_columns_of_two(const Vector128& x, const Vector128& y);

}  // namespace gpuminer::verushash
