// Types of a scan's input and output: nonces, candidates, and the test that makes a nonce a candidate. Plain data that
// needs no library: baremetal/ has none.
#pragma once

#include <cstdint>

namespace gpuminer {

/// Nonces first … first+count-1. Never wraps: first + count <= 2^32.
struct NonceRange {
    std::uint32_t first = 0;
    std::uint64_t count = 0;

    friend bool operator==(const NonceRange&, const NonceRange&) = default;
};

/// A nonce whose digest passes the top word of the target, and the header version it did so with.
struct Candidate {
    std::uint32_t version_index = 0;  ///< index into ScanJob::versions
    std::uint32_t nonce = 0;

    friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Whether a digest's last word H7 (as SHA-256 computes it) is at or below the target's top word: the
/// candidate test. The bytes are swapped because the hash is read as a little-endian number.
[[nodiscard]] constexpr bool passes_top_word(std::uint32_t h7, std::uint32_t target_top) {
    return __builtin_bswap32(h7) <= target_top;
}

/// Bits that a digest's last word H7 must have zero to pass: a cheap test that lets a few more through than
/// passes_top_word(), which has to follow.
[[nodiscard]] constexpr std::uint32_t sieve_mask_of(std::uint32_t target_top) {
    const int leading_zeros = target_top == 0 ? 32 : __builtin_clz(target_top);
    const std::uint32_t as_displayed = leading_zeros == 0 ? 0 : ~std::uint32_t{0} << (32 - leading_zeros);
    return __builtin_bswap32(as_displayed);
}

}  // namespace gpuminer
