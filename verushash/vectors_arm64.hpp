// The verbs over 128-bit vectors with ARMv8's AES and PMULL instructions (vectors.hpp).
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace gpuminer::verushash {
namespace {

using Vector = uint64x2_t;

inline uint8x16_t bytes_of(Vector x) { return vreinterpretq_u8_u64(x); }
inline uint32x4_t words_of(Vector x) { return vreinterpretq_u32_u64(x); }
inline int16x8_t signed_words_of(Vector x) { return vreinterpretq_s16_u64(x); }
inline poly64_t polynomial(std::uint64_t half) { return static_cast<poly64_t>(half); }
inline Vector product(std::uint64_t x, std::uint64_t y) {
    return vreinterpretq_u64_p128(vmull_p64(polynomial(x), polynomial(y)));
}

inline Vector load(const Vector* from) { return *from; }
inline void store(Vector* to, Vector value) { *to = value; }
inline Vector load_bytes(const std::uint8_t* from) { return vreinterpretq_u64_u8(vld1q_u8(from)); }
inline Vector zero() { return vdupq_n_u64(0); }
inline Vector from_halves(std::uint64_t low, std::uint64_t high) {
    return vcombine_u64(vcreate_u64(low), vcreate_u64(high));
}
inline Vector with_low_half(std::uint64_t low) { return from_halves(low, 0); }
inline Vector splat(std::uint64_t half) { return vdupq_n_u64(half); }
inline std::uint64_t low_half(Vector x) { return vgetq_lane_u64(x, 0); }
inline Vector replace_first_word(Vector x, std::uint32_t word) {
    return vreinterpretq_u64_u32(vsetq_lane_u32(word, words_of(x), 0));
}
inline Vector replace_last_byte(Vector x, std::uint8_t byte) {
    return vreinterpretq_u64_u8(vsetq_lane_u8(byte, bytes_of(x), 15));
}

inline Vector low_halves(Vector x, Vector y) { return vzip1q_u64(x, y); }
inline Vector high_halves(Vector x, Vector y) { return vzip2q_u64(x, y); }
inline Vector interleave_low_words(Vector x, Vector y) {
    return vreinterpretq_u64_u32(vzip1q_u32(words_of(x), words_of(y)));
}
inline Vector interleave_high_words(Vector x, Vector y) {
    return vreinterpretq_u64_u32(vzip2q_u32(words_of(x), words_of(y)));
}

inline Vector add(Vector x, Vector y) { return veorq_u64(x, y); }
inline Vector product_of_halves(Vector x) { return product(vgetq_lane_u64(x, 0), vgetq_lane_u64(x, 1)); }
inline Vector product_of_high_and_low(Vector x, Vector y) {
    return product(vgetq_lane_u64(x, 1), vgetq_lane_u64(y, 0));
}
/// (SQRDMULH is one instruction, but saturates: -32768 times itself would be 32767.)
inline Vector scaled_products(Vector x, Vector y) {
    const int16x8_t a = signed_words_of(x), b = signed_words_of(y);
    const int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b)), high = vmull_high_s16(a, b);
    return vreinterpretq_u64_s16(vrshrn_high_n_s32(vrshrn_n_s32(low, 15), high, 15));
}
/// AESE adds a key before its round: here none. (The compiler makes of this addition the next round's.)
inline Vector aes_round(Vector state, Vector key) {
    return add(vreinterpretq_u64_u8(vaesmcq_u8(vaeseq_u8(bytes_of(state), vdupq_n_u8(0)))), key);
}

inline Vector shift_halves_left_by_one(Vector x) { return vshlq_n_u64(x, 1); }
inline Vector halves_with_sign(Vector x) { return vcltzq_s64(vreinterpretq_s64_u64(x)); }
inline Vector keep(Vector mask, Vector x) { return vandq_u64(mask, x); }
inline Vector clear(Vector mask, Vector x) { return vbicq_u64(x, mask); }
inline Vector choose(Vector signs, Vector set, Vector unset) { return vbslq_u64(halves_with_sign(signs), set, unset); }

}  // namespace
}  // namespace gpuminer::verushash
