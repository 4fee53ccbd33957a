// The search with the CPU's SHA instructions, `kStreams` nonces interleaved. Included once per number of them.
#pragma once

#include "cpu/note.hpp"
#include "cpu/shani_rounds.hpp"

namespace gpuminer::cpu {
namespace {

/// The header's second block; only the nonce, as a big-endian word, varies.
GPUMINER_INLINE Schedule block2_schedule(const std::uint32_t* tail, std::uint32_t nonce) {
    return {{words(tail[0], tail[1], tail[2], __builtin_bswap32(nonce)), words(0x80000000, 0, 0, 0),
             _mm_setzero_si128(), words(0, 0, 0, 80 * 8)}};
}

/// The midstate after the first two rounds, which do not see the nonce.
GPUMINER_INLINE State start_state(const State& midstate, const std::uint32_t* tail) {
    State state = midstate;
    two_rounds(state, _mm_add_epi32(words(tail[0], tail[1], 0, 0), round_constants(0)));
    return state;
}

template <int kStreams>
struct ShaniScan {
    GPUMINER_INLINE static void second_hash(State (&digests)[kStreams], std::uint32_t (&h7)[kStreams]) {
        Schedule schedules[kStreams];
        State states[kStreams];
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s) {
            // ABEF and CDGH to words in message order: A B C D and E F G H.
            const __m128i feba = _mm_shuffle_epi32(digests[s].abef, 0x1b),
                          dchg = _mm_shuffle_epi32(digests[s].cdgh, 0x1b);
            schedules[s] = {{_mm_unpacklo_epi64(feba, dchg), _mm_unpackhi_epi64(feba, dchg), words(0x80000000, 0, 0, 0),
                             words(0, 0, 0, 32 * 8)}};
            states[s] = make_state(sha256::kInitialState.data());
        }
        // The last two rounds only move E of the round before them to H.
        run_rounds<0, false, false>(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s)
            h7[s] = static_cast<std::uint32_t>(_mm_cvtsi128_si32(states[s].abef)) + sha256::kInitialState[7];
    }

    static void scan_fixed(ScanArguments& args) {
        const State midstate = make_state(args.midstates);
        const State start = start_state(midstate, args.tail);
        const std::uint64_t end = args.first_nonce + args.count;
        for (std::uint64_t nonce = args.first_nonce; nonce < end; nonce += kStreams) {
            State states[kStreams];
            Schedule schedules[kStreams];
#pragma GCC unroll 4
            for (int s = 0; s < kStreams; ++s) {
                states[s] = start;
                schedules[s] =
                    block2_schedule(args.tail, static_cast<std::uint32_t>(nonce) + static_cast<std::uint32_t>(s));
            }
            run_rounds<0, true, true>(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
            std::uint32_t h7[kStreams];
            for (auto& state : states) add_state(state, midstate);
            second_hash(states, h7);
            for (int s = 0; s < kStreams; ++s)
                note(args, 0, static_cast<std::uint32_t>(nonce) + static_cast<std::uint32_t>(s), h7[s]);
        }
    }

    /// With two streams, whole registers are faster; with four, halves from memory.
    GPUMINER_INLINE static auto kept(const __m128i& kw) {
        if constexpr (kStreams > 2)
            return StoredWords{&kw};
        else
            return kw;
    }

    /// The schedules of a block of nonces are computed once and kept; each version then runs its rounds over them,
    /// kStreams nonces at a time. (Past the end of the range, note() drops what is found.)
    static void scan_rolled(ScanArguments& args) {
        constexpr int kBlock = 4 * kStreams;
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
                    State states[kStreams];
                    for (State& state : states) state = start;
                    run_rounds<0, true, true>(states, [&](int s, int group) { return kept(kw[i + s][group]); });
                    std::uint32_t h7[kStreams];
                    for (auto& state : states) add_state(state, midstate);
                    second_hash(states, h7);
                    for (int s = 0; s < kStreams; ++s) note(args, v, first + static_cast<std::uint32_t>(i + s), h7[s]);
                }
            }
        }
    }

    static void scan(ScanArguments& args) {
        args.scanned_by = "shani";
        args.versions == 1 ? scan_fixed(args) : scan_rolled(args);
    }
};

#undef GPUMINER_INLINE

}  // namespace
}  // namespace gpuminer::cpu
