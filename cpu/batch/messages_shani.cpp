// Kernels for messages of any length with x86-64's SHA instructions: one message by itself, or two or four interleaved.
#include "cpu/batch/batch_shani.hpp"
#include "cpu/batch/message_blocks.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {
namespace {

GPUMINER_INLINE __m128i* vectors_of(std::uint32_t* states, int stream) {
    return reinterpret_cast<__m128i*>(states + 8 * stream);
}

/// A block of each stream, from address(stream) on.
template <int kStreams, class Address>
GPUMINER_INLINE void compress_block(State (&states)[kStreams], Address address) {
    Schedule schedules[kStreams];
    for (int s = 0; s < kStreams; ++s) {
        for (int i = 0; i < 4; ++i) schedules[s].w[i] = load_words(address(s) + 16 * i);
    }
    compress(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
}

/// The states are as the instructions take them: ABEF, then CDGH, for each stream.
template <int kStreams>
GPUMINER_INLINE void compress_blocks(std::uint32_t* words, const std::uint8_t* const* blocks, std::size_t count) {
    State states[kStreams];
    for (int s = 0; s < kStreams; ++s)
        states[s] = {_mm_load_si128(vectors_of(words, s)), _mm_load_si128(vectors_of(words, s) + 1)};
    for (std::size_t at = 0; at != 64 * count; at += 64) compress_block(states, [&](int s) { return blocks[s] + at; });
    for (int s = 0; s < kStreams; ++s) {
        _mm_store_si128(vectors_of(words, s), states[s].abef);
        _mm_store_si128(vectors_of(words, s) + 1, states[s].cdgh);
    }
}

/// The hash of each stream's digest.
template <int kStreams>
GPUMINER_INLINE void hash_digests(std::uint8_t* out, DigestSchedule (&digests)[kStreams]) {
    State states[kStreams];
    for (int s = 0; s < kStreams; ++s) states[s] = make_state(sha256::kInitialState.data());
    compress(states, [&](int s, int group) { return digests[s].k_plus_w(group); });
    for (int s = 0; s < kStreams; ++s) store_hash(out + 32 * s, states[s]);
}

template <int kStreams>
GPUMINER_INLINE void again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    for (; groups != 0; --groups, in += 32 * kStreams, out += 32 * kStreams) {
        DigestSchedule digests[kStreams];
        for (int s = 0; s < kStreams; ++s)
            digests[s] = DigestSchedule::of_words(load_words(in + 32 * s), load_words(in + 32 * s + 16));
        hash_digests(out, digests);
    }
}

#undef GPUMINER_INLINE

}  // namespace

void messages_shani_single(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    compress_blocks<1>(states, blocks, count);
}
void messages_shani_single_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    again<1>(out, in, groups);
}
void messages_shani_single_alone(std::uint8_t* out, const MessageBlocks& message) {
    State states[] = {make_state(sha256::kInitialState.data())};
    for_each_block(message, [&](const std::uint8_t* block) { compress_block(states, [&](int) { return block; }); });
    DigestSchedule digests[] = {DigestSchedule::of(states[0])};
    hash_digests(out, digests);
}
void messages_shani(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    compress_blocks<2>(states, blocks, count);
}
void messages_shani_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) { again<2>(out, in, groups); }
void messages_shani_x4(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    compress_blocks<4>(states, blocks, count);
}
void messages_shani_x4_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    again<4>(out, in, groups);
}

}  // namespace gpuminer::cpu
