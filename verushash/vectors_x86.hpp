// The verbs over 128-bit vectors with AES-NI and PCLMULQDQ, and Haraka made of them. In an anonymous namespace, as
// everything that is compiled with flags of its own (cpu/scan_function.hpp).
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "verushash/haraka_constants.hpp"

namespace gpuminer::verushash {
namespace {

using Vector = __m128i;

inline Vector load(const Vector* from) { return _mm_load_si128(from); }
inline void store(Vector* to, Vector value) { _mm_store_si128(to, value); }
inline std::uint64_t low_half(Vector x) { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(x)); }
inline Vector add(Vector x, Vector y) { return _mm_xor_si128(x, y); }
inline Vector product_of_halves(Vector x) { return _mm_clmulepi64_si128(x, x, 0x10); }
inline Vector scaled_products(Vector x, Vector y) { return _mm_mulhrs_epi16(x, y); }
/// Where the sign of a mask's 64-bit half is set, `set`, else `clear`.
inline Vector choose(Vector mask, Vector set, Vector clear) {
    return _mm_castpd_si128(_mm_blendv_pd(_mm_castsi128_pd(clear), _mm_castsi128_pd(set), _mm_castsi128_pd(mask)));
}

/// Two AES rounds of each state with the four keys from `keys` on; columns not yet mixed.
inline void encrypt_two(Vector& x, Vector& y, const Vector* keys) {
    x = _mm_aesenc_si128(_mm_aesenc_si128(x, load(keys)), load(keys + 2));
    y = _mm_aesenc_si128(_mm_aesenc_si128(y, load(keys + 1)), load(keys + 3));
}

inline void mix_two(Vector& x, Vector& y) {
    const Vector low = _mm_unpacklo_epi32(x, y);
    y = _mm_unpackhi_epi32(x, y);
    x = low;
}

constexpr int kKeyLength = 552;

struct FourStates {
    Vector a, b, c, d;
};

/// Two AES rounds of each state with the eight keys from `keys` on.
inline void encrypt_four(FourStates& s, const Vector* keys) {
    for (int i = 0; i < 8; i += 4) {
        s.a = _mm_aesenc_si128(s.a, load(keys + i));
        s.b = _mm_aesenc_si128(s.b, load(keys + i + 1));
        s.c = _mm_aesenc_si128(s.c, load(keys + i + 2));
        s.d = _mm_aesenc_si128(s.d, load(keys + i + 3));
    }
}

inline void mix_four(FourStates& s) {
    const Vector ab_low = _mm_unpacklo_epi32(s.a, s.b), ab_high = _mm_unpackhi_epi32(s.a, s.b);
    const Vector cd_low = _mm_unpacklo_epi32(s.c, s.d), cd_high = _mm_unpackhi_epi32(s.c, s.d);
    s = {_mm_unpackhi_epi32(ab_high, cd_high), _mm_unpacklo_epi32(cd_low, ab_low), _mm_unpackhi_epi32(cd_low, ab_low),
         _mm_unpacklo_epi32(ab_high, cd_high)};
}

inline Vector haraka_constant(int i) {
    const RoundConstant& constant = kHarakaConstants[i];
    return _mm_set_epi64x(static_cast<long long>(constant.high), static_cast<long long>(constant.low));
}

}  // namespace
}  // namespace gpuminer::verushash
