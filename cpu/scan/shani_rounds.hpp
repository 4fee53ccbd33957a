// SHA-256 with the CPU's SHA instructions: two rounds, or four schedule words, at once. By hand, but for
// scan_woven.hpp: the symbolic program has no rounds left to map them to. In an anonymous namespace (see
// scan_function.hpp).
//
// Intel SDM, SHA256RNDS2: the state is held as ABEF and CDGH (A in the highest word), K+W of the next two
// rounds in the low half of the third operand.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "cpu/scan/round_words.hpp"

// To be undefined by the file that includes this.
#define GPUMINER_INLINE inline __attribute__((always_inline))

namespace gpuminer::cpu {
namespace {

constexpr RoundWords kK = copy_round_constants();

struct State {
    __m128i abef, cdgh;
};

/// Four message words, the first in the lowest 32 bits.
GPUMINER_INLINE __m128i words(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
    return _mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1), static_cast<int>(w2), static_cast<int>(w3));
}

GPUMINER_INLINE const __m128i* address_of(const RoundWords& all, int group) {
    return reinterpret_cast<const __m128i*>(&all.words[4 * group]);
}
GPUMINER_INLINE __m128i group_of(const RoundWords& all, int group) { return _mm_load_si128(address_of(all, group)); }

GPUMINER_INLINE State make_state(const std::uint32_t* s) {
    return {words(s[5], s[4], s[1], s[0]), words(s[7], s[6], s[3], s[2])};
}

/// Two rounds with K+W from the low half of `kw`.
GPUMINER_INLINE void two_rounds(State& state, __m128i kw) {
    const __m128i abef = _mm_sha256rnds2_epu32(state.cdgh, state.abef, kw);
    state.cdgh = state.abef;
    state.abef = abef;
}

/// K+W of four rounds that were stored: each half is loaded to where it is wanted.
struct StoredWords {
    const __m128i* address;
};
GPUMINER_INLINE __m128i low_half(__m128i kw) { return kw; }
GPUMINER_INLINE __m128i high_half(__m128i kw) { return _mm_unpackhi_epi64(kw, kw); }
GPUMINER_INLINE __m128i low_half(StoredWords kw) { return _mm_load_si128(kw.address); }
GPUMINER_INLINE __m128i high_half(StoredWords kw) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(reinterpret_cast<const char*>(kw.address) + 8));
}

/// What of next_words() depends on nothing later than the first word of `w3`.
GPUMINER_INLINE __m128i begin_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    return _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
}
/// The rest of it, after `msg1`.
GPUMINER_INLINE __m128i end_words(__m128i begun, __m128i w2, __m128i w3) {
    return _mm_sha256msg2_epu32(_mm_add_epi32(begun, _mm_alignr_epi8(w3, w2, 4)), w3);
}
/// W[t…t+3] from the 16 words before them, the oldest first (FIPS 180-4, 6.2.2, step 1).
GPUMINER_INLINE __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    return end_words(_mm_sha256msg1_epu32(w0, w1), w2, w3);
}

/// A message schedule, made in sixteen groups of four words; to be asked for them in turn.
struct Schedule {
    __m128i w[4];

    GPUMINER_INLINE __m128i k_plus_w(int group) {
        if (group >= 4)
            w[group % 4] = next_words(w[group % 4], w[(group + 1) % 4], w[(group + 2) % 4], w[(group + 3) % 4]);
        return _mm_add_epi32(w[group % 4], group_of(kK, group));
    }
};

/// K+W of a digest's groups 2 and 3.
constexpr RoundWords kPaddedDigest = padding_k_plus_w(8, 32 * 8);

/// The schedule of a digest, likewise.
struct DigestSchedule {
    __m128i w[4];

    GPUMINER_INLINE static DigestSchedule of(const State& digest) {
        // ABEF and CDGH to words in message order: A B C D and E F G H.
        const __m128i feba = _mm_shuffle_epi32(digest.abef, 0x1b), dchg = _mm_shuffle_epi32(digest.cdgh, 0x1b);
        return of_words(_mm_unpacklo_epi64(feba, dchg), _mm_unpackhi_epi64(feba, dchg));
    }
    GPUMINER_INLINE static DigestSchedule of_words(__m128i first, __m128i second) {
        return {{first, second, words(0x80000000, 0, 0, 0), words(0, 0, 0, 32 * 8)}};
    }
    GPUMINER_INLINE __m128i k_plus_w(int group) {
        if (group == 2 || group == 3) return group_of(kPaddedDigest, group);
        __m128i& next = w[group % 4];
        const __m128i w1 = w[(group + 1) % 4], w2 = w[(group + 2) % 4], w3 = w[(group + 3) % 4];
        if (group == 4) next = _mm_sha256msg2_epu32(_mm_sha256msg1_epu32(next, w1), w3);  // W9 … W12 are zero
        if (group > 4) next = next_words(next, w1, w2, w3);
        return _mm_add_epi32(next, group_of(kK, group));
    }
};

GPUMINER_INLINE void add_state(State& state, const State& before) {
    state.abef = _mm_add_epi32(state.abef, before.abef);
    state.cdgh = _mm_add_epi32(state.cdgh, before.cdgh);
}

}  // namespace
}  // namespace gpuminer::cpu
