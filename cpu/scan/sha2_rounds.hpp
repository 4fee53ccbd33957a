// SHA-256 with ARM64's SHA-2 instructions: four rounds of either half of the state, or four schedule words, at once. By
// hand, because the symbolic program has no rounds left to map them to. Streams (messages) are interleaved: one round
// instruction waits for the one before it, and another stream fills the gap. In an anonymous namespace (see
// scan_function.hpp).
//
// Arm ARM, C7.2: SHA256H and SHA256H2 take the state as ABCD and EFGH (A and E in the lowest word) and K+W of four
// rounds.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "cpu/scan/round_words.hpp"

// To be undefined by the file that includes this.
#define GPUMINER_INLINE inline __attribute__((always_inline))

namespace gpuminer::cpu {
namespace {

struct State {
    uint32x4_t abcd, efgh;
};

/// Four words, the first in the lowest 32 bits.
GPUMINER_INLINE uint32x4_t words(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
    return uint32x4_t{w0, w1, w2, w3};
}

/// The same, in a way that has its address stay in one register: GCC would put together that of each group anew.
template <class Table>
GPUMINER_INLINE const Table& by_one_address(const Table& table) {
    const Table* address = &table;
    asm("" : "+r"(address));
    return *address;
}

GPUMINER_INLINE uint32x4_t group_of(const RoundWords& all, int group) { return vld1q_u32(&all.words[4 * group]); }

GPUMINER_INLINE State make_state(const std::uint32_t* s) { return {vld1q_u32(s), vld1q_u32(s + 4)}; }

GPUMINER_INLINE void four_rounds(State& state, uint32x4_t kw) {
    const uint32x4_t abcd = vsha256hq_u32(state.abcd, state.efgh, kw);
    state.efgh = vsha256h2q_u32(state.efgh, state.abcd, kw);
    state.abcd = abcd;
}

/// The first half of next_words(), which depends on nothing later than the first word of `w1`.
GPUMINER_INLINE uint32x4_t begin_words(uint32x4_t w0, uint32x4_t w1) { return vsha256su0q_u32(w0, w1); }
/// W[t…t+3] from the 16 words before them, the oldest first (FIPS 180-4, 6.2.2, step 1).
GPUMINER_INLINE uint32x4_t next_words(uint32x4_t w0, uint32x4_t w1, uint32x4_t w2, uint32x4_t w3) {
    return vsha256su1q_u32(begin_words(w0, w1), w2, w3);
}

/// All streams through the round groups kFirst … kLast.
template <int kFirst, int kLast, int kStreams, class KPlusW>
GPUMINER_INLINE void run_rounds(State (&states)[kStreams], KPlusW k_plus_w) {
#pragma GCC unroll 16
    for (int group = kFirst; group <= kLast; ++group) {
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s) four_rounds(states[s], k_plus_w(s, group));
    }
}

/// A message schedule, made in sixteen groups of four words; to be asked for them in turn.
struct Schedule {
    uint32x4_t w[4];

    GPUMINER_INLINE uint32x4_t k_plus_w(const RoundWords& k, int group) {
        if (group >= 4)
            w[group % 4] = next_words(w[group % 4], w[(group + 1) % 4], w[(group + 2) % 4], w[(group + 3) % 4]);
        return vaddq_u32(w[group % 4], group_of(k, group));
    }
};

GPUMINER_INLINE void add_state(State& state, const State& before) {
    state.abcd = vaddq_u32(state.abcd, before.abcd);
    state.efgh = vaddq_u32(state.efgh, before.efgh);
}

}  // namespace
}  // namespace gpuminer::cpu
