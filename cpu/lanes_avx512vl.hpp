// The verbs over eight 32-bit words in a 256-bit vector, with AVX-512's rotations and three-operand logic (VL). In an
// anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gpuminer::cpu {
namespace {

struct Avx512VlLanes {
    using word = __m256i;
    static constexpr std::uint32_t kWidth = 8;

    static word add(word x, word y) { return _mm256_add_epi32(x, y); }
    template <int kBits>
    static word rotr(word x) {
        return _mm256_ror_epi32(x, kBits);
    }
    template <int kBits>
    static word shr(word x) {
        return _mm256_srli_epi32(x, kBits);
    }
    static word xor3(word x, word y, word z) { return _mm256_ternarylogic_epi32(x, y, z, 0xf0 ^ 0xcc ^ 0xaa); }
    static word splat(std::uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
    static word lane_offsets() { return _mm256_slli_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), 24); }
    static std::uint32_t zero_lanes(word x, word mask) { return _mm256_testn_epi32_mask(x, mask); }
};

}  // namespace
}  // namespace gpuminer::cpu
