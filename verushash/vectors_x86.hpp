// The verbs over 128-bit vectors with AES-NI and PCLMULQDQ (vectors.hpp).
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gpuminer::verushash {
namespace {

using Vector = __m128i;

inline Vector load(const Vector* from) { return _mm_load_si128(from); }
inline void store(Vector* to, Vector value) { _mm_store_si128(to, value); }
inline Vector load_bytes(const std::uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const Vector*>(from)); }
inline Vector zero() { return _mm_setzero_si128(); }
inline Vector from_halves(std::uint64_t low, std::uint64_t high) {
    return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}
inline Vector with_low_half(std::uint64_t low) { return _mm_cvtsi64_si128(static_cast<long long>(low)); }
inline Vector splat(std::uint64_t half) { return _mm_set1_epi64x(static_cast<long long>(half)); }
inline std::uint64_t low_half(Vector x) { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(x)); }
inline Vector replace_first_word(Vector x, std::uint32_t word) {
    return _mm_insert_epi32(x, static_cast<int>(word), 0);
}
inline Vector replace_last_byte(Vector x, std::uint8_t byte) { return _mm_insert_epi8(x, byte, 15); }

inline Vector low_halves(Vector x, Vector y) { return _mm_unpacklo_epi64(x, y); }
inline Vector high_halves(Vector x, Vector y) { return _mm_unpackhi_epi64(x, y); }
inline Vector interleave_low_words(Vector x, Vector y) { return _mm_unpacklo_epi32(x, y); }
inline Vector interleave_high_words(Vector x, Vector y) { return _mm_unpackhi_epi32(x, y); }

inline Vector add(Vector x, Vector y) { return _mm_xor_si128(x, y); }
inline Vector product_of_halves(Vector x) { return _mm_clmulepi64_si128(x, x, 0x10); }
inline Vector product_of_high_and_low(Vector x, Vector y) { return _mm_clmulepi64_si128(x, y, 0x01); }
inline Vector scaled_products(Vector x, Vector y) { return _mm_mulhrs_epi16(x, y); }
inline Vector aes_round(Vector state, Vector key) { return _mm_aesenc_si128(state, key); }

inline Vector shift_halves_left_by_one(Vector x) { return _mm_slli_epi64(x, 1); }
inline Vector halves_with_sign(Vector x) { return _mm_cmpgt_epi64(_mm_setzero_si128(), x); }
inline Vector keep(Vector mask, Vector x) { return _mm_and_si128(mask, x); }
inline Vector clear(Vector mask, Vector x) { return _mm_andnot_si128(mask, x); }
inline Vector choose(Vector signs, Vector set, Vector unset) {
    return _mm_castpd_si128(_mm_blendv_pd(_mm_castsi128_pd(unset), _mm_castsi128_pd(set), _mm_castsi128_pd(signs)));
}

}  // namespace
}  // namespace gpuminer::verushash
