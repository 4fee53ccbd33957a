// Batches of double SHA-256 with ARM64's SHA-2 instructions: one input by itself, or two interleaved.
#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/scan/sha2_rounds.hpp"

namespace gpuminer::cpu {
namespace {

struct Tables {
    RoundWords k, padding;  ///< `padding`: K+W of the second block
};
constexpr Tables kTables = {copy_round_constants(), second_block_k_plus_w()};

/// The compression of each stream's own message, from the initial state.
template <int kStreams>
GPUMINER_INLINE void compress_from_start(State (&states)[kStreams], Schedule (&schedules)[kStreams],
                                         const RoundWords& k) {
    const State initial = make_state(sha256::kInitialState.data());
    for (auto& state : states) state = initial;
    run_rounds<0, 15>(states, [&](int s, int group) { return schedules[s].k_plus_w(k, group); });
    for (auto& state : states) add_state(state, initial);
}

GPUMINER_INLINE uint32x4_t load(const std::uint8_t* in) { return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(in))); }
GPUMINER_INLINE void store(std::uint8_t* out, uint32x4_t x) { vst1q_u8(out, vrev32q_u8(vreinterpretq_u8_u32(x))); }

/// In place too: a group's inputs are all read before its hashes are written.
template <int kStreams>
GPUMINER_INLINE void run(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    const Tables& tables = by_one_address(kTables);
    for (; groups != 0; --groups, in += 64 * kStreams, out += 32 * kStreams) {
        State states[kStreams];
        Schedule schedules[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            for (int i = 0; i < 4; ++i) schedules[s].w[i] = load(in + 64 * s + 16 * i);
        }
        compress_from_start(states, schedules, tables.k);

        State before[kStreams];
        for (int s = 0; s < kStreams; ++s) before[s] = states[s];
        run_rounds<0, 15>(states, [&](int, int group) { return group_of(tables.padding, group); });
        for (int s = 0; s < kStreams; ++s) {
            add_state(states[s], before[s]);
            schedules[s] = {{states[s].abcd, states[s].efgh, words(0x80000000, 0, 0, 0), words(0, 0, 0, 32 * 8)}};
        }
        compress_from_start(states, schedules, tables.k);
        for (int s = 0; s < kStreams; ++s) {
            store(out + 32 * s, states[s].abcd);
            store(out + 32 * s + 16, states[s].efgh);
        }
    }
}

#undef GPUMINER_INLINE

}  // namespace

void sha256d64_sha2_single(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<1>(out, in, groups); }
void sha256d64_sha2(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<2>(out, in, groups); }

}  // namespace gpuminer::cpu
