// 128-bit values as the portable form computes with them: AES states, round keys, accumulators; textbook arithmetic.
#pragma once

#include <array>
#include <cstdint>

namespace gpuminer::verushash {

/// 16 bytes in the order of memory. As a number, or as numbers, little-endian: byte 0 is the least significant.
struct Vector128 {
    std::array<std::uint8_t, 16> bytes{};

    [[nodiscard]] std::uint64_t low() const;   ///< bytes 0 … 7
    [[nodiscard]] std::uint64_t high() const;  ///< bytes 8 … 15

    friend bool operator==(const Vector128&, const Vector128&) = default;
};

[[nodiscard]] Vector128 vector_of(std::uint64_t low, std::uint64_t high = 0);
[[nodiscard]] Vector128 operator^(const Vector128& x, const Vector128& y);

/// Product of polynomials over GF(2), 64 × 64 bits.
[[nodiscard]] Vector128 carryless_product(std::uint64_t x, std::uint64_t y);

/// Of each pair of signed 16-bit words the product, rounded, divided by 2^15, as the x86 instruction pmulhrsw has it:
/// (x·y + 2^14) >> 15, of which 16 bits stay.
[[nodiscard]] Vector128 scaled_products(const Vector128& x, const Vector128& y);

/// One AES encryption round (FIPS 197): SubBytes, ShiftRows, MixColumns, AddRoundKey.
[[nodiscard]] Vector128 aes_round(const Vector128& state, const Vector128& round_key);

}  // namespace gpuminer::verushash
