// The verbs over eight 32-bit words in a 256-bit vector. No rotate and no three-operand logic: two shifts and an or,
// two xors. In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gpuminer::cpu {
namespace {

struct Avx2Lanes {
    using word = __m256i;
    static constexpr std::uint32_t kWidth = 8;

    static word add(word x, word y) { return _mm256_add_epi32(x, y); }
    template <int kBits>
    static word rotr(word x) {
        return _mm256_or_si256(_mm256_srli_epi32(x, kBits), _mm256_slli_epi32(x, 32 - kBits));
    }
    template <int kBits>
    static word shr(word x) {
        return _mm256_srli_epi32(x, kBits);
    }
    static word xor3(word x, word y, word z) { return _mm256_xor_si256(_mm256_xor_si256(x, y), z); }
    static word ch(word x, word y, word z) { return _mm256_xor_si256(z, _mm256_and_si256(x, _mm256_xor_si256(y, z))); }
    static word maj(word x, word y, word z) {  // y ^ z was x ^ y one round ago
        return _mm256_xor_si256(y, _mm256_and_si256(_mm256_xor_si256(x, y), _mm256_xor_si256(y, z)));
    }
    static word splat(std::uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
    static word lane_offsets() { return _mm256_slli_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), 24); }
    static std::uint32_t zero_lanes(word x, word mask) {
        const word zero = _mm256_cmpeq_epi32(_mm256_and_si256(x, mask), _mm256_setzero_si256());
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(zero)));
    }
    static void store(std::uint32_t* out, word x) { _mm256_store_si256(reinterpret_cast<word*>(out), x); }
};

}  // namespace
}  // namespace gpuminer::cpu
