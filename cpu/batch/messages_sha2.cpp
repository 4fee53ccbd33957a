// Kernels for messages of any length with ARM64's SHA-2 instructions: one message by itself, or two interleaved.
#include "cpu/batch/message_blocks.hpp"
#include "cpu/batch/messages_kernels.hpp"
#include "cpu/scan/sha2_rounds.hpp"

namespace gpuminer::cpu {
namespace {

constexpr RoundWords kRoundWords = copy_round_constants();

GPUMINER_INLINE uint32x4_t load(const std::uint8_t* in) { return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(in))); }
GPUMINER_INLINE void store(std::uint8_t* out, uint32x4_t x) { vst1q_u8(out, vrev32q_u8(vreinterpretq_u8_u32(x))); }

/// The compression of a block of each stream.
template <int kStreams>
GPUMINER_INLINE void compress(State (&states)[kStreams], Schedule (&schedules)[kStreams], const RoundWords& k) {
    State before[kStreams];
    for (int s = 0; s < kStreams; ++s) before[s] = states[s];
    run_rounds<0, 15>(states, [&](int s, int group) { return schedules[s].k_plus_w(k, group); });
    for (int s = 0; s < kStreams; ++s) add_state(states[s], before[s]);
}

/// A block of each stream, from address(stream) on.
template <int kStreams, class Address>
GPUMINER_INLINE void compress_block(State (&states)[kStreams], const RoundWords& k, Address address) {
    Schedule schedules[kStreams];
    for (int s = 0; s < kStreams; ++s) {
        for (int i = 0; i < 4; ++i) schedules[s].w[i] = load(address(s) + 16 * i);
    }
    compress(states, schedules, k);
}

/// Of each stream the state's eight words in turn.
template <int kStreams>
GPUMINER_INLINE void compress_blocks(std::uint32_t* words, const std::uint8_t* const* blocks, std::size_t count) {
    const RoundWords& k = by_one_address(kRoundWords);
    State states[kStreams];
    for (int s = 0; s < kStreams; ++s) states[s] = make_state(words + 8 * s);
    for (std::size_t at = 0; at != 64 * count; at += 64)
        compress_block(states, k, [&](int s) { return blocks[s] + at; });
    for (int s = 0; s < kStreams; ++s) {
        vst1q_u32(words + 8 * s, states[s].abcd);
        vst1q_u32(words + 8 * s + 4, states[s].efgh);
    }
}

/// The hash of each stream's digest; words_of(stream, half): four of its words.
template <int kStreams, class Words>
GPUMINER_INLINE void hash_digests(std::uint8_t* out, const RoundWords& k, Words words_of) {
    State states[kStreams];
    Schedule schedules[kStreams];
    for (int s = 0; s < kStreams; ++s) {
        states[s] = make_state(sha256::kInitialState.data());
        schedules[s] = {{words_of(s, 0), words_of(s, 1), words(0x80000000, 0, 0, 0), words(0, 0, 0, 32 * 8)}};
    }
    compress(states, schedules, k);
    for (int s = 0; s < kStreams; ++s) {
        store(out + 32 * s, states[s].abcd);
        store(out + 32 * s + 16, states[s].efgh);
    }
}

template <int kStreams>
GPUMINER_INLINE void again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    const RoundWords& k = by_one_address(kRoundWords);
    for (; groups != 0; --groups, in += 32 * kStreams, out += 32 * kStreams)
        hash_digests<kStreams>(out, k, [&](int s, int half) { return load(in + 32 * s + 16 * half); });
}

#undef GPUMINER_INLINE

}  // namespace

void messages_sha2_single(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    compress_blocks<1>(states, blocks, count);
}
void messages_sha2_single_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    again<1>(out, in, groups);
}
void messages_sha2_single_alone(std::uint8_t* out, const MessageBlocks& message) {
    const RoundWords& k = by_one_address(kRoundWords);
    State states[] = {make_state(sha256::kInitialState.data())};
    for_each_block(message, [&](const std::uint8_t* block) { compress_block(states, k, [&](int) { return block; }); });
    hash_digests<1>(out, k, [&](int, int half) { return half == 0 ? states[0].abcd : states[0].efgh; });
}
void messages_sha2(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    compress_blocks<2>(states, blocks, count);
}
void messages_sha2_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { again<2>(out, in, groups); }

}  // namespace gpuminer::cpu
