// The search over lanes of nonces, for any vector width. Included once per ISA, by a file that compiles it
// with that ISA's flags; hence the anonymous namespace (see scan_function.hpp).
//
// `Lanes` offers: type word; kWidth (a power of two); the verbs add rotr<n> shr<n> xor3 ch maj;
// splat(number); lane_offsets() = lane number << 24; zero_lanes(x, mask) = bit set of lanes with
// (x & mask) == 0; store(numbers, x).
#pragma once

#include <cstdint>

#include "cpu/scan/note.hpp"
#include "cpu/scan/scan_function.hpp"
#include "search_program/sizes.hpp"

// Instructions take the number of bits as an immediate: a template argument. The printed text calls verbs.
#define rotr(x, bits) Lanes::template rotr<bits>(x)
#define shr(x, bits) Lanes::template shr<bits>(x)

namespace gpuminer::cpu {
namespace {

// hash1 runs over a block of vectors, then hash2 over the same block: the code of both together is larger than a
// first-level instruction cache, each half is not. The larger `kBlock`, the less often either is fetched anew; with
// several versions, a block is made of `kRolledNonces` vectors of nonces, each with kBlock / kRolledNonces versions.
template <class Lanes, std::uint32_t kBlock = 8, std::uint32_t kRolledNonces = 1>
struct LaneScan {
    using word = typename Lanes::word;

    static word add(word x, word y) { return Lanes::add(x, y); }
    static word xor3(word x, word y, word z) { return Lanes::xor3(x, y, z); }
    static word ch(word x, word y, word z) { return Lanes::ch(x, y, z); }
    static word maj(word x, word y, word z) { return Lanes::maj(x, y, z); }
    static word constant(std::uint32_t value) { return Lanes::splat(value); }

    /// The message words of nonces base … base+kWidth-1. A nonce is serialised little-endian and read as a
    /// big-endian word: its low byte, the one that differs between lanes, is the word's top byte.
    static word nonce_words(std::uint32_t base) {
        return add(Lanes::splat(__builtin_bswap32(base)), Lanes::lane_offsets());
    }

    __attribute__((noinline, cold)) static void note_lanes(ScanArguments& args, std::uint32_t version_index,
                                                           std::uint32_t base, std::uint32_t lanes, word h7) {
        alignas(sizeof(word)) std::uint32_t h7_words[Lanes::kWidth];
        Lanes::store(h7_words, h7);
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            note(args, version_index, base + lane, h7_words[lane]);
        }
    }

    /// Calls `block(base, vectors)` for each block of at most kVectors vectors of nonces that overlap the range.
    /// Vectors start at multiples of the width, so that adding a lane number never carries out of the nonce's low byte.
    template <std::uint32_t kVectors, class Block>
    static void for_each_block(const ScanArguments& args, Block block) {
        for (std::uint64_t base = first_base(args); base < end(args); base += kVectors * Lanes::kWidth) {
            if constexpr (kVectors == 1) {
                block(static_cast<std::uint32_t>(base), 1);
            } else {
                const std::uint64_t vectors_left = (end(args) - base + Lanes::kWidth - 1) / Lanes::kWidth;
                block(static_cast<std::uint32_t>(base),
                      static_cast<std::uint32_t>(vectors_left < kVectors ? vectors_left : kVectors));
            }
        }
    }

    static std::uint32_t first_base(const ScanArguments& args) { return args.first_nonce & ~(Lanes::kWidth - 1); }
    static std::uint64_t end(const ScanArguments& args) { return args.first_nonce + args.count; }

    using Digest = word[8];

    static void hash2(ScanArguments& args, const Digest& digest_words, word mask, std::uint32_t version_index,
                      std::uint32_t base) {
        const auto digest = [&](int i) { return digest_words[i]; };
#include "search_program/hash2.inc"
        const std::uint32_t lanes = Lanes::zero_lanes(h7, mask);
        if (__builtin_expect(lanes != 0, 0)) note_lanes(args, version_index, base, lanes, h7);
    }

    static void scan_fixed(ScanArguments& args) {
        const word mask = Lanes::splat(args.sieve_mask);
        const std::uint32_t* const job_words = args.job_words;
        const auto job = [=](int i) { return Lanes::splat(job_words[i]); };
        Digest digests[kBlock];
        for_each_block<kBlock>(args, [&](std::uint32_t block, std::uint32_t vectors) {
            for (std::uint32_t i = 0; i < vectors; ++i) {
                const word nonce = nonce_words(block + i * Lanes::kWidth);
                const auto export_digest = [&](int j, word x) { digests[i][j] = x; };
#include "search_program/fixed_hash1.inc"
            }
            for (std::uint32_t i = 0; i < vectors; ++i) hash2(args, digests[i], mask, 0, block + i * Lanes::kWidth);
        });
    }

    /// A nonce's message schedule is computed once and kept in memory (it stays in the first-level cache);
    /// each version then runs its rounds over it.
    static void scan_rolled(ScanArguments& args) {
        constexpr std::uint32_t kVersions = kBlock / kRolledNonces;
        const word mask = Lanes::splat(args.sieve_mask);
        const std::uint32_t* const job_words = args.job_words;
        const auto job = [=](int i) { return Lanes::splat(job_words[i]); };
        word shared_words[kRolledNonces][kRolledSharedWords];
        Digest digests[kRolledNonces][kVersions];
        for_each_block<kRolledNonces>(args, [&](std::uint32_t block, std::uint32_t nonces) {
            for (std::uint32_t n = 0; n < nonces; ++n) {
                const word nonce = nonce_words(block + n * Lanes::kWidth);
                const auto export_shared = [&](int i, word x) { shared_words[n][i] = x; };
#include "search_program/rolled_nonce.inc"
            }
            for (std::uint32_t first = 0; first < args.versions; first += kVersions) {
                const std::uint32_t versions = args.versions - first < kVersions ? args.versions - first : kVersions;
                for (std::uint32_t n = 0; n < nonces; ++n) {
                    const word nonce = nonce_words(block + n * Lanes::kWidth);
                    const std::uint32_t* version_words = args.version_words + first * args.version_stride;
                    for (std::uint32_t v = 0; v < versions; ++v, version_words += args.version_stride) {
                        const auto shared = [&](int i) { return shared_words[n][i]; };
                        const auto version = [=](int i) { return Lanes::splat(version_words[i]); };
                        const auto export_digest = [&](int j, word x) { digests[n][v][j] = x; };
#include "search_program/rolled_hash1.inc"
                    }
                }
                for (std::uint32_t n = 0; n < nonces; ++n) {
                    for (std::uint32_t v = 0; v < versions; ++v)
                        hash2(args, digests[n][v], mask, first + v, block + n * Lanes::kWidth);
                }
            }
        });
    }

    static void scan(ScanArguments& args) { args.versions == 1 ? scan_fixed(args) : scan_rolled(args); }
};

}  // namespace
}  // namespace gpuminer::cpu

#undef rotr
#undef shr
