// Kernels for messages of any length with x86-64's SHA instructions: one message by itself, or two or four interleaved.
#include "cpu/batch/batch_shani.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {
namespace {

GPUMINER_INLINE __m128i* vectors_of(std::uint32_t* states, int stream) {
    return reinterpret_cast<__m128i*>(states + 8 * stream);
}

/// The states are as the instructions take them: ABEF, then CDGH, for each stream.
template <int kStreams>
GPUMINER_INLINE void compress_blocks(std::uint32_t* words, const std::uint8_t* const* blocks, std::size_t count) {
    State states[kStreams];
    for (int s = 0; s < kStreams; ++s)
        states[s] = {_mm_load_si128(vectors_of(words, s)), _mm_load_si128(vectors_of(words, s) + 1)};
    for (std::size_t at = 0; at != 64 * count; at += 64) {
        Schedule schedules[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            for (int i = 0; i < 4; ++i) schedules[s].w[i] = load_words(blocks[s] + at + 16 * i);
        }
        compress(states, [&](int s, int group) { return schedules[s].k_plus_w(group); });
    }
    for (int s = 0; s < kStreams; ++s) {
        _mm_store_si128(vectors_of(words, s), states[s].abef);
        _mm_store_si128(vectors_of(words, s) + 1, states[s].cdgh);
    }
}

template <int kStreams>
GPUMINER_INLINE void again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    for (; groups != 0; --groups, in += 32 * kStreams, out += 32 * kStreams) {
        State states[kStreams];
        DigestSchedule digests[kStreams];
        for (int s = 0; s < kStreams; ++s) {
            digests[s] = DigestSchedule::of_words(load_words(in + 32 * s), load_words(in + 32 * s + 16));
            states[s] = make_state(sha256::kInitialState.data());
        }
        compress(states, [&](int s, int group) { return digests[s].k_plus_w(group); });
        for (int s = 0; s < kStreams; ++s) store_hash(out + 32 * s, states[s]);
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
