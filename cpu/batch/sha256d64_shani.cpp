// Batches of double SHA-256 with x86-64's SHA instructions: one input by itself, or two or four interleaved.
#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/scan/shani_rounds.hpp"

namespace gpuminer::cpu {
namespace {

constexpr RoundWords kSecondBlock = second_block_k_plus_w();

GPUMINER_INLINE __m128i swap_bytes(__m128i x) {
    return _mm_shuffle_epi8(x, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
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

/// In place too: a group's inputs are all read before its hashes are written.
template <int kStreams>
GPUMINER_INLINE void run(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    const State initial = make_state(sha256::kInitialState.data());
    for (; groups != 0; --groups, in += 64 * kStreams, out += 32 * kStreams) {
        State states[kStreams];
        Schedule schedules[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            states[s] = initial;
            for (int i = 0; i < 4; ++i)
                schedules[s].w[i] = swap_bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 64 * s + 16 * i)));
        }
        compress(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
        compress(states, [&](int, int group) { return StoredWords{address_of(kSecondBlock, group)}; });
        DigestSchedule digests[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            digests[s] = DigestSchedule::of(states[s]);
            states[s] = initial;
        }
        compress(states, [&](int s, int group) { return digests[s].k_plus_w(group); });
        for (int s = 0; s < kStreams; ++s) {
            const DigestSchedule hash = DigestSchedule::of(states[s]);
            for (int i = 0; i < 2; ++i)
                _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 32 * s + 16 * i), swap_bytes(hash.w[i]));
        }
    }
}

#undef GPUMINER_INLINE

}  // namespace

void sha256d64_shani_single(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<1>(out, in, groups); }
void sha256d64_shani(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<2>(out, in, groups); }
void sha256d64_shani_x4(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<4>(out, in, groups); }

}  // namespace gpuminer::cpu
