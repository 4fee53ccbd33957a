// One nonce per register pair, with the CPU's SHA instructions: two rounds, or four schedule words, at once.
// Written by hand, because the symbolic program has no rounds left to map them to. Two nonces
// are interleaved: one round instruction waits for the one before it, and the other nonce fills the gap.
//
// Intel SDM, SHA256RNDS2: the state is held as ABEF and CDGH (A in the highest word), K+W of the next two
// rounds in the low half of the third operand.
#include <immintrin.h>

#include "cpu/note.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer::cpu {
namespace {

#define GPUMINER_INLINE inline __attribute__((always_inline))

constexpr int kStreams = 2;

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
GPUMINER_INLINE __m128i high_half(__m128i kw) { return _mm_unpackhi_epi64(kw, kw); }

/// W[t…t+3] from the 16 words before them, the oldest first (FIPS 180-4, 6.2.2, step 1).
GPUMINER_INLINE __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    return _mm_sha256msg2_epu32(sum, w3);
}

/// Both streams through the round groups `first` … 15, from the third round of group `first` on if
/// `half_done`. `last_half`: whether the very last two rounds are run.
template <int kFirst, bool kHalfDone, bool kLastHalf, class KPlusW>
GPUMINER_INLINE void run_rounds(State (&states)[kStreams], KPlusW k_plus_w) {
#pragma GCC unroll 16
    for (int group = kFirst; group < 16; ++group) {
#pragma GCC unroll 2
        for (int s = 0; s < kStreams; ++s) {
            const __m128i kw = k_plus_w(s, group);
            if (!kHalfDone || group > kFirst) two_rounds(states[s], kw);
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

/// The header's second block; only the nonce, as a big-endian word, varies.
GPUMINER_INLINE Schedule block2_schedule(const std::uint32_t* tail, std::uint32_t nonce) {
    return {{words(tail[0], tail[1], tail[2], __builtin_bswap32(nonce)), words(0x80000000, 0, 0, 0),
             _mm_setzero_si128(), words(0, 0, 0, 80 * 8)}};
}

GPUMINER_INLINE void second_hash(State (&digests)[kStreams], std::uint32_t (&h7)[kStreams]) {
    Schedule schedules[kStreams];
    State states[kStreams];
#pragma GCC unroll 2
    for (int s = 0; s < kStreams; ++s) {
        // ABEF and CDGH to words in message order: A B C D and E F G H.
        const __m128i feba = _mm_shuffle_epi32(digests[s].abef, 0x1b), dchg = _mm_shuffle_epi32(digests[s].cdgh, 0x1b);
        schedules[s] = {{_mm_unpacklo_epi64(feba, dchg), _mm_unpackhi_epi64(feba, dchg), words(0x80000000, 0, 0, 0),
                         words(0, 0, 0, 32 * 8)}};
        states[s] = make_state(sha256::kInitialState.data());
    }
    // The last two rounds only move E of the round before them to H.
    run_rounds<0, false, false>(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
#pragma GCC unroll 2
    for (int s = 0; s < kStreams; ++s)
        h7[s] = static_cast<std::uint32_t>(_mm_cvtsi128_si32(states[s].abef)) + sha256::kInitialState[7];
}

GPUMINER_INLINE void add_midstate(State& state, const State& midstate) {
    state.abef = _mm_add_epi32(state.abef, midstate.abef);
    state.cdgh = _mm_add_epi32(state.cdgh, midstate.cdgh);
}

/// The midstate after the first two rounds, which do not see the nonce.
GPUMINER_INLINE State start_state(const State& midstate, const std::uint32_t* tail) {
    State state = midstate;
    two_rounds(state, _mm_add_epi32(words(tail[0], tail[1], 0, 0), round_constants(0)));
    return state;
}

void scan_fixed(ScanArguments& args) {
    const State midstate = make_state(args.midstates);
    const State start = start_state(midstate, args.tail);
    const std::uint64_t end = args.first_nonce + args.count;
    for (std::uint64_t nonce = args.first_nonce; nonce < end; nonce += kStreams) {
        State states[kStreams];
        Schedule schedules[kStreams];
#pragma GCC unroll 2
        for (int s = 0; s < kStreams; ++s) {
            states[s] = start;
            schedules[s] =
                block2_schedule(args.tail, static_cast<std::uint32_t>(nonce) + static_cast<std::uint32_t>(s));
        }
        run_rounds<0, true, true>(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
        std::uint32_t h7[kStreams];
        for (auto& state : states) add_midstate(state, midstate);
        second_hash(states, h7);
        for (int s = 0; s < kStreams; ++s)
            note(args, 0, static_cast<std::uint32_t>(nonce) + static_cast<std::uint32_t>(s), h7[s]);
    }
}

/// The schedules of a block of nonces are computed once and kept; each version then runs its rounds over them,
/// two nonces at a time. (Past the end of the range, note() drops what is found.)
void scan_rolled(ScanArguments& args) {
    constexpr int kBlock = 8;
    static_assert(kBlock % kStreams == 0);
    const std::uint64_t end = args.first_nonce + args.count;
    for (std::uint64_t base = args.first_nonce; base < end; base += kBlock) {
        const auto first = static_cast<std::uint32_t>(base);
        __m128i kw[kBlock][16];
        for (int i = 0; i < kBlock; ++i) {
            Schedule schedule = block2_schedule(args.tail, first + static_cast<std::uint32_t>(i));
#pragma GCC unroll 16
            for (int group = 0; group < 16; ++group) kw[i][group] = schedule.k_plus_w(group);
        }
        for (std::uint32_t v = 0; v < args.versions; ++v) {
            const State midstate = make_state(args.midstates + std::size_t{8} * v);
            const State start = start_state(midstate, args.tail);
            for (int i = 0; i < kBlock; i += kStreams) {
                State states[kStreams] = {start, start};
                run_rounds<0, true, true>(states, [&](int s, int group) { return kw[i + s][group]; });
                std::uint32_t h7[kStreams];
                for (auto& state : states) add_midstate(state, midstate);
                second_hash(states, h7);
                for (int s = 0; s < kStreams; ++s) note(args, v, first + static_cast<std::uint32_t>(i + s), h7[s]);
            }
        }
    }
}

#undef GPUMINER_INLINE

}  // namespace

void scan_shani(ScanArguments& arguments) {
    arguments.scanned_by = "shani";
    arguments.versions == 1 ? scan_fixed(arguments) : scan_rolled(arguments);
}

}  // namespace gpuminer::cpu
