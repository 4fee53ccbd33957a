// SHA-256 with the CPU's SHA instructions: two rounds, or four schedule words, at once. By hand, because the symbolic
// program has no rounds left to map them to. Streams (messages) are interleaved: one round instruction waits for the
// one before it, and another stream fills the gap. In an anonymous namespace (see scan_function.hpp).
//
// Intel SDM, SHA256RNDS2: the state is held as ABEF and CDGH (A in the highest word), K+W of the next two
// rounds in the low half of the third operand.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernel/sha256.hpp"

// To be undefined by the file that includes this.
#define GPUMINER_INLINE inline __attribute__((always_inline))

namespace gpuminer::cpu {
namespace {

struct RoundConstants {
    alignas(16) std::uint32_t words[64];
};
constexpr RoundConstants copy_round_constants() {
    RoundConstants copy{};
    for (std::size_t t = 0; t < 64; ++t) copy.words[t] = sha256::kRoundConstants[t];
    return copy;
}
constexpr RoundConstants kK = copy_round_constants();

struct State {
    __m128i abef, cdgh;
};

/// Four message words, the first in the lowest 32 bits.
GPUMINER_INLINE __m128i words(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
    return _mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1), static_cast<int>(w2), static_cast<int>(w3));
}

GPUMINER_INLINE __m128i round_constants(int group) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(&kK.words[4 * group]));
}

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

/// W[t…t+3] from the 16 words before them, the oldest first (FIPS 180-4, 6.2.2, step 1).
GPUMINER_INLINE __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    return _mm_sha256msg2_epu32(sum, w3);
}

/// All streams through the round groups `first` … 15, from the third round of group `first` on if
/// `half_done`. `last_half`: whether the very last two rounds are run.
template <int kFirst, bool kHalfDone, bool kLastHalf, int kStreams, class KPlusW>
GPUMINER_INLINE void run_rounds(State (&states)[kStreams], KPlusW k_plus_w) {
#pragma GCC unroll 16
    for (int group = kFirst; group < 16; ++group) {
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s) {
            const auto kw = k_plus_w(s, group);
            if (!kHalfDone || group > kFirst) two_rounds(states[s], low_half(kw));
            if (kLastHalf || group < 15) two_rounds(states[s], high_half(kw));
        }
    }
}

/// A message schedule, made in sixteen groups of four words; to be asked for them in turn.
struct Schedule {
    __m128i w[4];

    GPUMINER_INLINE __m128i k_plus_w(int group) {
        if (group >= 4)
            w[group % 4] = next_words(w[group % 4], w[(group + 1) % 4], w[(group + 2) % 4], w[(group + 3) % 4]);
        return _mm_add_epi32(w[group % 4], round_constants(group));
    }
};

GPUMINER_INLINE void add_state(State& state, const State& before) {
    state.abef = _mm_add_epi32(state.abef, before.abef);
    state.cdgh = _mm_add_epi32(state.cdgh, before.cdgh);
}

}  // namespace
}  // namespace gpuminer::cpu
