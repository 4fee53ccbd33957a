// Batches of double SHA-256 with x86-64's SHA instructions: one input by itself, or two or four interleaved.
#include "cpu/batch/batch_shani.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"

namespace gpuminer::cpu {
namespace {

constexpr RoundWords kSecondBlock = second_block_k_plus_w();

/// In place too: a group's inputs are all read before its hashes are written.
template <int kStreams>
GPUMINER_INLINE void run(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    const State initial = make_state(sha256::kInitialState.data());
    for (; groups != 0; --groups, in += 64 * kStreams, out += 32 * kStreams) {
        State states[kStreams];
        Schedule schedules[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            states[s] = initial;
            for (int i = 0; i < 4; ++i) schedules[s].w[i] = load_words(in + 64 * s + 16 * i);
        }
        compress(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
        compress(states, [&](int, int group) { return StoredWords{address_of(kSecondBlock, group)}; });
        DigestSchedule digests[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            digests[s] = DigestSchedule::of(states[s]);
            states[s] = initial;
        }
        compress(states, [&](int s, int group) { return digests[s].k_plus_w(group); });
        for (int s = 0; s < kStreams; ++s) store_hash(out + 32 * s, states[s]);
    }
}

#undef GPUMINER_INLINE

}  // namespace

void sha256d64_shani_single(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<1>(out, in, groups); }
void sha256d64_shani(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<2>(out, in, groups); }
void sha256d64_shani_x4(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { run<4>(out, in, groups); }

}  // namespace gpuminer::cpu
