// One message's blocks without SHA instructions: rounds in general registers, and beside them the words that they take,
// four at a time in 128-bit vectors. The textbook (kernel/sha256.hpp) over words of its own; SSE4.1, or the same with
// AVX's three operands. In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "cpu/batch/message_blocks.hpp"
#include "cpu/scan/round_words.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer::cpu {
namespace {

#define GPUMINER_INLINE inline __attribute__((always_inline))

/// A word of the rounds as a sum that is taken where the word is used, of terms in the order in which they become
/// ready: `e` and `a` of a round wait for its rotations and then for one addition or two. Terms that are zero cost
/// nothing.
struct LateSum {
    std::uint32_t early = 0, middle = 0, late = 0;

    [[nodiscard]] GPUMINER_INLINE std::uint32_t value() const { return early + middle + late; }
};
GPUMINER_INLINE LateSum add(const LateSum& x, const LateSum& y) {
    return {x.early + y.early, x.middle + y.middle, x.late + y.late};
}
template <class... More>
GPUMINER_INLINE LateSum add(const LateSum& x, const LateSum& y, const More&... more) {
    return add(add(x, y), more...);
}
GPUMINER_INLINE LateSum rotr(const LateSum& x, int n) { return {sha256::rotr(x.value(), n)}; }
GPUMINER_INLINE LateSum xor3(const LateSum& x, const LateSum& y, const LateSum& z) {
    return {0, 0, sha256::xor3(x.value(), y.value(), z.value())};
}
GPUMINER_INLINE LateSum ch(const LateSum& x, const LateSum& y, const LateSum& z) {
    return {0, sha256::ch(x.value(), y.value(), z.value()), 0};
}
GPUMINER_INLINE LateSum maj(const LateSum& x, const LateSum& y, const LateSum& z) {
    return {0, sha256::maj(x.value(), y.value(), z.value()), 0};
}

/// Four words of the schedule; or two, each of them twice, so that a shift of 64 bits rotates a word.
struct FourWords {
    __m128i v;
};
struct TwoWords {
    __m128i v;
};
template <class Words>
GPUMINER_INLINE Words xor3(Words x, Words y, Words z) {
    return {_mm_xor_si128(_mm_xor_si128(x.v, y.v), z.v)};
}
template <class Words>
GPUMINER_INLINE Words shr(Words x, int n) {
    return {_mm_srli_epi32(x.v, n)};
}
GPUMINER_INLINE FourWords rotr(FourWords x, int n) {
    return {_mm_xor_si128(_mm_srli_epi32(x.v, n), _mm_slli_epi32(x.v, 32 - n))};
}
GPUMINER_INLINE TwoWords rotr(TwoWords x, int n) { return {_mm_srli_epi64(x.v, n)}; }

/// W[t…t+3] from the 16 words before them, the oldest first (FIPS 180-4, 6.2.2, step 1). The last two need the first
/// two.
GPUMINER_INLINE __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    const __m128i to_low = _mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i to_high = _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 8, 9, 10, 11);
    const FourWords sigma0 = sha256::small_sigma0(FourWords{_mm_alignr_epi8(w1, w0, 4)});
    const __m128i sum = _mm_add_epi32(_mm_add_epi32(w0, sigma0.v), _mm_alignr_epi8(w3, w2, 4));
    const TwoWords low = sha256::small_sigma1(TwoWords{_mm_shuffle_epi32(w3, 0xfa)});
    const __m128i half = _mm_add_epi32(sum, _mm_shuffle_epi8(low.v, to_low));
    const TwoWords high = sha256::small_sigma1(TwoWords{_mm_shuffle_epi32(half, 0x50)});
    return _mm_add_epi32(half, _mm_shuffle_epi8(high.v, to_high));
}

constexpr RoundWords kRoundConstants = copy_round_constants();

/// One block, whose words are w0 … w3. A function of its own: its code is a quarter of a first-level cache.
__attribute__((noinline)) void compress_words(std::uint32_t* state, __m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    constexpr std::size_t kAll = kGroups;
    __m128i w[4] = {w0, w1, w2, w3};
    alignas(16) std::uint32_t k_plus_w[64];
    const auto store = [&](std::size_t group) {
        __m128i* const place = reinterpret_cast<__m128i*>(&k_plus_w[4 * group]);
        *place = _mm_add_epi32(w[group % 4], reinterpret_cast<const __m128i*>(kRoundConstants.words)[group]);
        asm("" : "+m"(*place));  // to be read there: GCC would move the words from the vector, which takes longer
    };
    sha256::State<LateSum> s;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) s[i] = {state[i]};
#pragma GCC unroll 4
    for (std::size_t group = 0; group < 4; ++group) store(group);
#pragma GCC unroll 16
    for (std::size_t group = 0; group < kAll; ++group) {
        if (group + 4 < kAll) {
            __m128i& next = w[group % 4];
            next = next_words(next, w[(group + 1) % 4], w[(group + 2) % 4], w[(group + 3) % 4]);
            store(group + 4);
        }
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) {
            s = sha256::round(s, LateSum{}, LateSum{k_plus_w[4 * group + i]});
            s[0] = {s[0].value()};
            s[4] = {s[4].value()};
        }
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) state[i] += s[i].value();
}

GPUMINER_INLINE __m128i load_words(const std::uint8_t* in) {
    return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)),
                            _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}
GPUMINER_INLINE void compress_block(std::uint32_t* state, const std::uint8_t* block) {
    compress_words(state, load_words(block), load_words(block + 16), load_words(block + 32), load_words(block + 48));
}

/// The hash of a digest, whose words these are.
GPUMINER_INLINE void hash_digest(std::uint8_t* out, __m128i first, __m128i second) {
    StateWords state = copy_initial_state();
    compress_words(state.words, first, second, _mm_setr_epi32(static_cast<int>(0x80000000), 0, 0, 0),
                   _mm_setr_epi32(0, 0, 0, 32 * 8));
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) {
        const std::uint32_t bytes = __builtin_bswap32(state.words[i]);
        __builtin_memcpy(out + 4 * i, &bytes, sizeof bytes);
    }
}

// The kernels of messages_kernels.hpp.
GPUMINER_INLINE void compress_by_rounds(std::uint32_t* state, const std::uint8_t* block, std::size_t count) {
    for (; count != 0; --count, block += 64) compress_block(state, block);
}
GPUMINER_INLINE void again_by_rounds(std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    for (; count != 0; --count, in += 32, out += 32) hash_digest(out, load_words(in), load_words(in + 16));
}
GPUMINER_INLINE void alone_by_rounds(std::uint8_t* out, const MessageBlocks& message) {
    StateWords state = copy_initial_state();
    for_each_block(message, [&](const std::uint8_t* block) { compress_block(state.words, block); });
    // One by one: a vector that is loaded waits until all of it is in the cache.
    const auto words = [&](int i) {
        const auto word = [&](int at) { return static_cast<int>(state.words[at]); };
        return _mm_setr_epi32(word(i), word(i + 1), word(i + 2), word(i + 3));
    };
    hash_digest(out, words(0), words(4));
}

#undef GPUMINER_INLINE

}  // namespace
}  // namespace gpuminer::cpu
