// The verbs over four 32-bit words in a 128-bit vector. No rotate and no three-operand logic: two shifts and an or, two
// xors. In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <smmintrin.h>

#include <cstdint>

namespace gpuminer::cpu {
namespace {

struct Sse41Lanes {
    using word = __m128i;
    static constexpr std::uint32_t kWidth = 4;

    static word add(word x, word y) { return _mm_add_epi32(x, y); }
    template <int kBits>
    static word rotr(word x) {
        return _mm_or_si128(_mm_srli_epi32(x, kBits), _mm_slli_epi32(x, 32 - kBits));
    }
    template <int kBits>
    static word shr(word x) {
        return _mm_srli_epi32(x, kBits);
    }
    static word xor3(word x, word y, word z) { return _mm_xor_si128(_mm_xor_si128(x, y), z); }
    static word ch(word x, word y, word z) { return _mm_xor_si128(z, _mm_and_si128(x, _mm_xor_si128(y, z))); }
    static word maj(word x, word y, word z) {  // y ^ z was x ^ y one round ago
        return _mm_xor_si128(y, _mm_and_si128(_mm_xor_si128(x, y), _mm_xor_si128(y, z)));
    }
    static word splat(std::uint32_t value) { return _mm_set1_epi32(static_cast<int>(value)); }
    static word lane_offsets() { return _mm_setr_epi32(0, 1 << 24, 2 << 24, 3 << 24); }
    static std::uint32_t zero_lanes(word x, word mask) {
        const word zero = _mm_cmpeq_epi32(_mm_and_si128(x, mask), _mm_setzero_si128());
        return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(zero)));
    }
    static void store(std::uint32_t* out, word x) { _mm_store_si128(reinterpret_cast<word*>(out), x); }
};

}  // namespace
}  // namespace gpuminer::cpu
