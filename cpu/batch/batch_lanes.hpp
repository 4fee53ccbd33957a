// Batches of double SHA-256 over lanes of inputs, for any vector width: of 64 bytes each, or a block after the other.
// Included by files that compile it with an ISA's flags each; hence the anonymous namespace (see scan_function.hpp).
//
// `Lanes` offers, besides the verbs (type word; kWidth; add rotr<n> shr<n> xor3 ch maj splat(number)):
// load(words, address), four big-endian words of each of kWidth inputs, from address(input) on; store(out, hash),
// the eight words of kWidth hashes. The two agree on which lane belongs to which input: lane_of(input). For
// transpose4(): low32 high32 low64 high64, which interleave the halves of each 128-bit part.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/batch/message_blocks.hpp"
#include "cpu/scan/round_words.hpp"

// Instructions take the number of bits as an immediate: a template argument. The printed text calls verbs.
#define rotr(x, bits) Lanes::template rotr<bits>(x)
#define shr(x, bits) Lanes::template shr<bits>(x)

namespace gpuminer::cpu {
namespace {

/// Transposes the 4×4 words in each 128-bit part of four vectors: x[i] gets word i of every x.
template <class Lanes, class Word>
inline void transpose4(Word (&x)[4]) {
    const Word low01 = Lanes::low32(x[0], x[1]), low23 = Lanes::low32(x[2], x[3]);
    const Word high01 = Lanes::high32(x[0], x[1]), high23 = Lanes::high32(x[2], x[3]);
    x[0] = Lanes::low64(low01, low23);
    x[1] = Lanes::high64(low01, low23);
    x[2] = Lanes::low64(high01, high23);
    x[3] = Lanes::high64(high01, high23);
}

template <class Lanes>
struct BatchLanes {
    using word = typename Lanes::word;

    static word add(word x, word y) { return Lanes::add(x, y); }
    static word xor3(word x, word y, word z) { return Lanes::xor3(x, y, z); }
    static word ch(word x, word y, word z) { return Lanes::ch(x, y, z); }
    static word maj(word x, word y, word z) { return Lanes::maj(x, y, z); }
    static word constant(std::uint32_t value) { return Lanes::splat(value); }

    // Each stage runs over a block of vectors, then the next stage over the same block: the code of all three together
    // is larger than a first-level instruction cache. The larger the block, the fewer changes; the states of one are to
    // take no more than a quarter of a first-level data cache.
    using State = word[8];
    static constexpr std::size_t kBlock = 8192 / sizeof(State);

    static void block1(State& state_words, const std::uint8_t* in) {
        word message_words[4][4];
#pragma GCC unroll 4
        for (int part = 0; part < 4; ++part)
            Lanes::load(message_words[part], [&](int i) { return in + 64 * i + 16 * part; });
        const auto message = [&](int i) { return message_words[i / 4][i % 4]; };
        const auto export_state = [&](int i, word x) { state_words[i] = x; };
#include "search_program/sha256d64_block1.inc"
    }

    /// The digest takes the place of the state: the text exports after it has read everything.
    static void hash1(State& words) {
        const auto state = [&](int i) { return words[i]; };
        const auto export_digest = [&](int i, word x) { words[i] = x; };
#include "search_program/sha256d64_hash1.inc"
    }

    static void hash2(std::uint8_t* out, const State& digest_words) {
        State hash_words;
        const auto digest = [&](int i) { return digest_words[i]; };
        const auto export_hash = [&](int i, word x) { hash_words[i] = x; };
#include "search_program/sha256d64_hash2.inc"
        Lanes::store(out, hash_words);
    }

    /// In place too: a block's inputs are all read before its hashes are written, and those end before the next begins.
    static void run(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
        State states[kBlock];
        while (groups != 0) {
            const std::size_t vectors = groups < kBlock ? groups : kBlock;
            for (std::size_t i = 0; i < vectors; ++i) block1(states[i], in + i * Lanes::kWidth * 64);
            for (std::size_t i = 0; i < vectors; ++i) hash1(states[i]);
            for (std::size_t i = 0; i < vectors; ++i) hash2(out + i * Lanes::kWidth * 32, states[i]);
            in += vectors * Lanes::kWidth * 64;
            out += vectors * Lanes::kWidth * 32;
            groups -= vectors;
        }
    }

    /// A block of each input, from address(input) on.
    template <class Address>
    static void compress_block(State& words, Address address) {
        word message_words[4][4];
#pragma GCC unroll 4
        for (int part = 0; part < 4; ++part)
            Lanes::load(message_words[part], [&](int i) { return address(i) + 16 * part; });
        const auto message = [&](int i) { return message_words[i / 4][i % 4]; };
        const auto state = [&](int i) { return words[i]; };
        const auto export_state = [&](int i, word x) { words[i] = x; };
#include "search_program/compression.inc"
    }

    /// A kernel for messages of any length (messages_kernels.hpp). Word i of all states is kWidth words from i · kWidth
    /// on.
    static void compress(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
        State words;
        __builtin_memcpy(words, states, sizeof words);
        for (std::size_t at = 0; at != 64 * count; at += 64)
            compress_block(words, [&](int i) { return blocks[Lanes::lane_of(i)] + at; });
        __builtin_memcpy(states, words, sizeof words);
    }

    /// Both hashes of one message; for a single lane.
    static void hash_alone(std::uint8_t* out, const MessageBlocks& message) {
        constexpr StateWords kInitial = copy_initial_state();
        State words;
        for (std::size_t i = 0; i < 8; ++i) words[i] = constant(kInitial.words[i]);
        for_each_block(message, [&](const std::uint8_t* block) { compress_block(words, [&](int) { return block; }); });
        hash2(out, words);
    }

    /// The second hash: of digests without gaps, in place too.
    static void again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
        for (; groups != 0; --groups, in += Lanes::kWidth * 32, out += Lanes::kWidth * 32) {
            word halves[2][4];
#pragma GCC unroll 2
            for (int half = 0; half < 2; ++half)
                Lanes::load(halves[half], [&](int i) { return in + 32 * i + 16 * half; });
            State words;
            __builtin_memcpy(words, halves, sizeof words);
            hash2(out, words);
        }
    }
};

}  // namespace
}  // namespace gpuminer::cpu

#undef rotr
#undef shr
