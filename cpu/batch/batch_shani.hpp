// Batches with x86-64's SHA instructions: the compression of several streams. In an anonymous namespace, as everything
// that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

#include "cpu/scan/shani_rounds.hpp"

namespace gpuminer::cpu {
namespace {

GPUMINER_INLINE __m128i swap_bytes(__m128i x) {
    return _mm_shuffle_epi8(x, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

/// Four big-endian words.
GPUMINER_INLINE __m128i load_words(const std::uint8_t* in) {
    return swap_bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
}
GPUMINER_INLINE void store_words(std::uint8_t* out, __m128i words) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), swap_bytes(words));
}

/// The compression of a block of each stream. The streams are interleaved: a round waits for the one before it, and
/// another stream fills the gap.
template <int kStreams, class KPlusW>
GPUMINER_INLINE void compress(State (&states)[kStreams], KPlusW k_plus_w) {
    State before[kStreams];
    for (int s = 0; s < kStreams; ++s) before[s] = states[s];
#pragma GCC unroll 16
    for (int group = 0; group < kGroups; ++group) {
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s) {
            const auto kw = k_plus_w(s, group);
            two_rounds(states[s], low_half(kw));
            two_rounds(states[s], high_half(kw));
        }
    }
    for (int s = 0; s < kStreams; ++s) add_state(states[s], before[s]);
}

/// The hash's bytes.
GPUMINER_INLINE void store_hash(std::uint8_t* out, const State& state) {
    const DigestSchedule hash = DigestSchedule::of(state);
    for (int i = 0; i < 2; ++i) store_words(out + 16 * i, hash.w[i]);
}

}  // namespace
}  // namespace gpuminer::cpu
