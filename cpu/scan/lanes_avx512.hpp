// The verbs over sixteen 32-bit words in a 512-bit vector; every one is one instruction (rotate, and ternary logic for
// the rest). In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gpuminer::cpu {
namespace {

struct Avx512Lanes {
    using word = __m512i;
    static constexpr std::uint32_t kWidth = 16;

    // The truth table of a three-input function, from those of its inputs (Intel SDM, VPTERNLOGD).
    static constexpr int kX = 0xf0, kY = 0xcc, kZ = 0xaa;

    static word add(word x, word y) { return _mm512_add_epi32(x, y); }
    template <int kBits>
    static word rotr(word x) {
        return _mm512_ror_epi32(x, kBits);
    }
    template <int kBits>
    static word shr(word x) {
        return _mm512_srli_epi32(x, kBits);
    }
    static word xor3(word x, word y, word z) { return _mm512_ternarylogic_epi32(x, y, z, kX ^ kY ^ kZ); }
    static word ch(word x, word y, word z) { return _mm512_ternarylogic_epi32(x, y, z, (kX & kY) | (~kX & kZ & 0xff)); }
    static word maj(word x, word y, word z) {
        return _mm512_ternarylogic_epi32(x, y, z, (kX & kY) | (kX & kZ) | (kY & kZ));
    }
    static word splat(std::uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
    static word lane_offsets() {
        return _mm512_slli_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 24);
    }
    static std::uint32_t zero_lanes(word x, word mask) { return _mm512_testn_epi32_mask(x, mask); }
    static void store(std::uint32_t* out, word x) { _mm512_store_si512(out, x); }
};

}  // namespace
}  // namespace gpuminer::cpu
