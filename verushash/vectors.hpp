// The verbs over 128-bit vectors that this architecture's instructions have, and Haraka made of them. In an anonymous
// namespace, as everything that is compiled with flags of its own (cpu/scan/scan_function.hpp). `Vector` has 16 bytes,
// little-endian; halves have 64 bits, words 32. Besides what their names say:
//   add                      exclusive or: addition of polynomials; a product is one without carries
//   scaled_products          of signed 16-bit words, (x y + 2^14) / 2^15 rounded down, modulo 2^16
//   aes_round                SubBytes, ShiftRows, MixColumns, and the key added
//   halves_with_sign         all bits of each half whose highest bit is set
//   keep, clear              x where the mask's bits are set, or are not
//   choose                   of each half: `set` where the highest bit of `signs` is set, else `unset`
#pragma once

#include <cstdint>

#include "verushash/haraka_constants.hpp"
#ifdef __aarch64__
#include "verushash/vectors_arm64.hpp"
#else
#include "verushash/vectors_x86.hpp"
#endif

namespace gpuminer::verushash {
namespace {

/// Two AES rounds of each state with the four keys from `keys` on; columns not yet mixed.
inline void encrypt_two(Vector& x, Vector& y, const Vector* keys) {
    x = aes_round(aes_round(x, load(keys)), load(keys + 2));
    y = aes_round(aes_round(y, load(keys + 1)), load(keys + 3));
}

inline void mix_two(Vector& x, Vector& y) {
    const Vector low = interleave_low_words(x, y);
    y = interleave_high_words(x, y);
    x = low;
}

constexpr int kKeyLength = 552;

struct FourStates {
    Vector a, b, c, d;
};

/// Two AES rounds of each state with the eight keys from `keys` on.
inline void encrypt_four(FourStates& s, const Vector* keys) {
    for (int i = 0; i < 8; i += 4) {
        s.a = aes_round(s.a, load(keys + i));
        s.b = aes_round(s.b, load(keys + i + 1));
        s.c = aes_round(s.c, load(keys + i + 2));
        s.d = aes_round(s.d, load(keys + i + 3));
    }
}

inline void mix_four(FourStates& s) {
    const Vector ab_low = interleave_low_words(s.a, s.b), ab_high = interleave_high_words(s.a, s.b);
    const Vector cd_low = interleave_low_words(s.c, s.d), cd_high = interleave_high_words(s.c, s.d);
    s = {interleave_high_words(ab_high, cd_high), interleave_low_words(cd_low, ab_low),
         interleave_high_words(cd_low, ab_low), interleave_low_words(ab_high, cd_high)};
}

inline Vector haraka_constant(int i) { return from_halves(kHarakaConstants[i].low, kHarakaConstants[i].high); }

}  // namespace
}  // namespace gpuminer::verushash
