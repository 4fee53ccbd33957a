// One input by itself, or two interleaved, with the CPU's SHA instructions.
#include "cpu/sha256d64_kernels.hpp"
#include "cpu/shani_rounds.hpp"

namespace gpuminer::cpu {
namespace {

/// K+W of a 64-byte message's second block, which is nothing but padding.
constexpr RoundConstants padding_k_plus_w() {
    RoundConstants sums{};
    sha256::Schedule<std::uint32_t> schedule(sha256::padding_block<std::uint32_t>());
    for (std::size_t t = 0; t < 64; ++t) sums.words[t] = sha256::kRoundConstants[t] + schedule.next(t);
    return sums;
}
constexpr RoundConstants kPadding = padding_k_plus_w();

GPUMINER_INLINE __m128i swap_bytes(__m128i x) {
    return _mm_shuffle_epi8(x, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

/// The state as words in message order: A B C D and E F G H.
struct Words {
    __m128i abcd, efgh;
};
GPUMINER_INLINE Words in_order(const State& state) {
    const __m128i feba = _mm_shuffle_epi32(state.abef, 0x1b), dchg = _mm_shuffle_epi32(state.cdgh, 0x1b);
    return {_mm_unpacklo_epi64(feba, dchg), _mm_unpackhi_epi64(feba, dchg)};
}

/// The compression of each stream's own message, from the initial state.
template <int kStreams>
GPUMINER_INLINE void compress_from_start(State (&states)[kStreams], Schedule (&schedules)[kStreams]) {
    const State initial = make_state(sha256::kInitialState.data());
    for (auto& state : states) state = initial;
    run_rounds<0, false, true>(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
    for (auto& state : states) add_state(state, initial);
}

/// In place too: a group's inputs are all read before its hashes are written.
template <int kStreams>
GPUMINER_INLINE void run(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    for (; groups != 0; --groups, in += 64 * kStreams, out += 32 * kStreams) {
        State states[kStreams];
        Schedule schedules[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            for (int i = 0; i < 4; ++i)
                schedules[s].w[i] = swap_bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 64 * s + 16 * i)));
        }
        compress_from_start(states, schedules);

        State before[kStreams];
        for (int s = 0; s < kStreams; ++s) before[s] = states[s];
        run_rounds<0, false, true>(states, [&](int, int group) {
            return _mm_load_si128(reinterpret_cast<const __m128i*>(&kPadding.words[4 * group]));
        });
        for (int s = 0; s < kStreams; ++s) {
            add_state(states[s], before[s]);
            const Words digest = in_order(states[s]);
            schedules[s] = {{digest.abcd, digest.efgh, words(0x80000000, 0, 0, 0), words(0, 0, 0, 32 * 8)}};
        }
        compress_from_start(states, schedules);
        for (int s = 0; s < kStreams; ++s) {
            const Words hash = in_order(states[s]);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 32 * s), swap_bytes(hash.abcd));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 32 * s + 16), swap_bytes(hash.efgh));
        }
    }
}

#undef GPUMINER_INLINE

}  // namespace

void sha256d64_shani_single(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<1>(out, in, groups); }
void sha256d64_shani(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<2>(out, in, groups); }

}  // namespace gpuminer::cpu
