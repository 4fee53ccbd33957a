// The checker: SHA-256 as FIPS 180-4 has it, once more and in the simplest way. It shares nothing with kernel/, so that
// an error there, or in what the compiler makes of it, cannot hide; elsewhere OpenSSL does this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuminer::baremetal {

struct Digest {
    std::uint8_t bytes[32];
};

[[nodiscard]] Digest sha256(const std::uint8_t* message, std::size_t size);  ///< of at most 119 bytes

/// A 256-bit number, least significant byte first ("internal" order), as double SHA-256 leaves it.
struct Number256 {
    std::uint8_t bytes[32] = {};

    [[nodiscard]] bool at_most(const Number256& other) const;
    [[nodiscard]] std::uint32_t top_word() const;  ///< the most significant 32 bits
};

/// A block header as serialised: numbers are little-endian, the nonce is in bytes 76…79.
struct Header {
    std::uint8_t bytes[80] = {};

    [[nodiscard]] std::uint32_t version() const { return number_at(0); }
    [[nodiscard]] std::uint32_t nbits() const { return number_at(72); }
    [[nodiscard]] std::uint32_t nonce() const { return number_at(76); }
    [[nodiscard]] Header with_nonce(std::uint32_t nonce) const;

private:
    [[nodiscard]] std::uint32_t number_at(std::size_t offset) const;
};

/// SHA-256d.
[[nodiscard]] Number256 hash_of(const Header& header);

/// The target that nBits stand for: mantissa (23 bits and a sign) times 256^(exponent - 3). False where they are
/// negative or larger than 256 bits.
[[nodiscard]] bool target_of_nbits(std::uint32_t nbits, Number256& target);

}  // namespace gpuminer::baremetal
