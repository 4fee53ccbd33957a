// The search with rounds by SHA instructions and message schedules by vector code, woven together (kernel/weave.hpp
// says how the text is made and what it expects). Included by a header that defines
// GPUMINER_WOVEN_FIXED and GPUMINER_WOVEN_ROLLED, the texts; kSlots is the number of nonces whose rounds take turns in
// them.
//
// `Lanes` offers the verbs that schedules need (add rotr shr xor3), and splat, lane_offsets and zero_lanes as for
// scan_lanes.hpp, over eight words in a 256-bit vector.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "cpu/scan/lanes_scalar.hpp"
#include "cpu/scan/note.hpp"
#include "cpu/scan/shani_rounds.hpp"
#include "search_program/sizes.hpp"

#define rotr(x, bits) Lanes::template rotr<bits>(x)
#define shr(x, bits) Lanes::template shr<bits>(x)

namespace gpuminer::cpu {
namespace {

constexpr std::uint32_t kUnit = 8;  // nonces, one to each lane
constexpr int kPairs = 32;          // of rounds in a hash

/// K+W of two rounds each, for the nonces of a unit, in the order in which unpacking two vectors leaves them.
struct UnitPairs {
    alignas(64) std::uint64_t k_plus_w[kPairs][kUnit];
};
/// The same where it does not depend on the nonce.
struct SharedPairs {
    std::uint64_t hash1[kPairs] = {}, hash2[kPairs] = {};
};
/// What the first hash leaves of a unit; nonces N and N+4 side by side, as halves of a vector.
struct UnitDigests {
    alignas(64) __m128i abef[kUnit], cdgh[kUnit];
};
struct UnitH7 {
    alignas(32) std::uint32_t words[kUnit];
};

constexpr int place_of_pair(int nonce) { return nonce % 2 + nonce / 4 * 2 + nonce % 4 / 2 * 4; }
constexpr int place_of_digest(int nonce) { return nonce % 4 * 2 + nonce / 4; }

GPUMINER_INLINE __m128i load_pair(const std::uint64_t& k_plus_w) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&k_plus_w));
}

GPUMINER_INLINE void store_pair(std::uint64_t (&k_plus_w)[kUnit], __m256i even, __m256i odd) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(&k_plus_w[0]), _mm256_unpacklo_epi32(even, odd));
    _mm256_store_si256(reinterpret_cast<__m256i*>(&k_plus_w[4]), _mm256_unpackhi_epi32(even, odd));
}

/// Four words of eight nonces from the states' halves: w0 has the lowest word of each.
GPUMINER_INLINE void load_words(const __m128i (&halves)[kUnit], __m256i& w0, __m256i& w1, __m256i& w2, __m256i& w3) {
    const auto row = [&](int nonce) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(&halves[place_of_digest(nonce)]));
    };
    const __m256i r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
    const __m256i low01 = _mm256_unpacklo_epi32(r0, r1), high01 = _mm256_unpackhi_epi32(r0, r1);
    const __m256i low23 = _mm256_unpacklo_epi32(r2, r3), high23 = _mm256_unpackhi_epi32(r2, r3);
    w0 = _mm256_unpacklo_epi64(low01, low23), w1 = _mm256_unpackhi_epi64(low01, low23);
    w2 = _mm256_unpacklo_epi64(high01, high23), w3 = _mm256_unpackhi_epi64(high01, high23);
}

/// What is alike for all nonces of a job: the words of the schedule's table, and pairs of K+W.
struct JobTables {
    using Lanes = ScalarLanes;
    using word = Lanes::word;
    std::uint32_t job_words[kHeaderScheduleJobWords];
    SharedPairs pairs;

    static word add(word x, word y) { return Lanes::add(x, y); }
    static word xor3(word x, word y, word z) { return Lanes::xor3(x, y, z); }
    static word constant(std::uint32_t value) { return value; }

    explicit JobTables(const std::uint32_t* tail_words) {
        const auto tail = [=](int i) { return tail_words[i]; };
        const auto export_job = [&](int i, word x) { job_words[i] = x; };
        const auto both = [](word even, word odd) { return std::uint64_t{odd} << 32 | even; };
        const auto share_hash1 = [&](int pair, word even, word odd) { pairs.hash1[pair] = both(even, odd); };
        const auto share_hash2 = [&](int pair, word even, word odd) { pairs.hash2[pair] = both(even, odd); };
        const auto job = [&](int i) { return job_words[i]; };
#include "search_program/woven_shared.inc"
    }
};

template <class Lanes, int kSlots>
struct WovenScan {
    using word = typename Lanes::word;
    static_assert(Lanes::kWidth == kUnit);

    static word add(word x, word y) { return Lanes::add(x, y); }
    static word xor3(word x, word y, word z) { return Lanes::xor3(x, y, z); }
    static word constant(std::uint32_t value) { return Lanes::splat(value); }

    /// The message words of a unit's nonces. Units start at multiples of their size (see scan_lanes.hpp).
    static word nonce_words(std::uint32_t base) {
        return add(Lanes::splat(__builtin_bswap32(base)), Lanes::lane_offsets());
    }

    /// A unit with a version, on its way through the passes. The first passes work on items that are not real.
    struct Item {
        std::uint32_t base = 0, version_index = 0;
        bool is_real = false;
    };

    /// What the passes hand on. A step writes while the one after it still reads what it wrote in the pass before:
    /// there are two of each, which change places after every pass.
    struct Buffers {
        UnitPairs hash1[2] = {}, hash2[2] = {};
        UnitDigests digests = {};
        UnitH7 h7 = {};
    };

    static void note_unit(ScanArguments& args, const Item& item, const UnitH7& h7) {
        const word words =
            add(_mm256_load_si256(reinterpret_cast<const __m256i*>(h7.words)), Lanes::splat(sha256::kInitialState[7]));
        const std::uint32_t lanes = Lanes::zero_lanes(words, Lanes::splat(args.sieve_mask));
        if (__builtin_expect(lanes != 0 && item.is_real, 0)) note_lanes(args, item, h7, lanes);
    }

    __attribute__((noinline, cold)) static void note_lanes(ScanArguments& args, const Item& item, const UnitH7& h7,
                                                           std::uint32_t lanes) {
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            note(args, item.version_index, item.base + lane, h7.words[lane] + sha256::kInitialState[7]);
        }
    }

    /// The midstate after the two rounds that do not see the nonce.
    GPUMINER_INLINE static State start_of(const State& midstate, const JobTables& tables) {
        State state = midstate;
        two_rounds(state, load_pair(tables.pairs.hash1[0]));
        return state;
    }

    static std::uint32_t first_base(const ScanArguments& args) { return args.first_nonce & ~(kUnit - 1); }
    static std::uint64_t units(const ScanArguments& args) {
        return (args.first_nonce + args.count - first_base(args) + kUnit - 1) / kUnit;
    }

// The text's names for what is in the variables of the functions below.
#define begin_hash1(slot, n) states[slot] = start
#define begin_hash2(slot, n) states[slot] = initial
#define rounds_hash1(slot, pair, n) two_rounds(states[slot], load_pair(hash1->k_plus_w[pair][place_of_pair(n)]))
#define rounds_hash2(slot, pair, n) two_rounds(states[slot], load_pair(hash2->k_plus_w[pair][place_of_pair(n)]))
#define shared_rounds_hash1(slot, pair) two_rounds(states[slot], load_pair(tables.pairs.hash1[pair]))
#define shared_rounds_hash2(slot, pair) two_rounds(states[slot], load_pair(tables.pairs.hash2[pair]))
#define end_hash1(slot, n)                                                                      \
    buffers.digests.abef[place_of_digest(n)] = _mm_add_epi32(states[slot].abef, midstate.abef), \
    buffers.digests.cdgh[place_of_digest(n)] = _mm_add_epi32(states[slot].cdgh, midstate.cdgh)
#define end_hash2(slot, n) buffers.h7.words[n] = static_cast<std::uint32_t>(_mm_cvtsi128_si32(states[slot].abef))
#define store_hash1(pair, even, odd) store_pair(next_hash1->k_plus_w[pair], even, odd)
#define store_hash2(pair, even, odd) store_pair(next_hash2->k_plus_w[pair], even, odd)
#define load_digests()                                                                                        \
    word message_words[8];                                                                                    \
    load_words(buffers.digests.abef, message_words[5], message_words[4], message_words[1], message_words[0]); \
    load_words(buffers.digests.cdgh, message_words[7], message_words[6], message_words[3], message_words[2])
#define message(i) message_words[i]
#define job(i) Lanes::splat(tables.job_words[i])

    static void scan_fixed(ScanArguments& args) {
        const JobTables tables(args.tail);
        const State midstate = make_state(args.midstates), start = start_of(midstate, tables);
        const State initial = make_state(sha256::kInitialState.data());
        Buffers buffers;
        UnitPairs *hash1 = &buffers.hash1[0], *next_hash1 = &buffers.hash1[1];
        UnitPairs *hash2 = &buffers.hash2[0], *next_hash2 = &buffers.hash2[1];
        constexpr std::uint64_t kBehind = 3;  // passes from a unit's first schedule to its last rounds
        const std::uint32_t first = first_base(args);
        for (std::uint64_t pass = 0; pass < units(args) + kBehind; ++pass) {
            const std::uint32_t base = first + kUnit * static_cast<std::uint32_t>(pass);
            const word nonce = nonce_words(base);
            State states[kSlots];
#include GPUMINER_WOVEN_FIXED
            note_unit(args, {base - kUnit * static_cast<std::uint32_t>(kBehind), 0, pass >= kBehind}, buffers.h7);
            swap(hash1, next_hash1);
            swap(hash2, next_hash2);
        }
    }

    /// A unit's first schedule is computed once; each version then runs its rounds over it.
    static void scan_rolled(ScanArguments& args) {
        const JobTables tables(args.tail);
        const State initial = make_state(sha256::kInitialState.data());
        Buffers buffers;
        UnitPairs *hash1 = &buffers.hash1[0], *const next_hash1 = hash1;
        UnitPairs *hash2 = &buffers.hash2[0], *next_hash2 = &buffers.hash2[1];
        constexpr std::uint64_t kBehind = 2;  // passes from an item's first rounds to its last
        Item item{first_base(args), 0, true}, before, last;
        const std::uint64_t items = units(args) * args.versions;
        for (std::uint64_t pass = 0; pass < items + kBehind; ++pass) {
            if (item.version_index == 0) {
                const word nonce = nonce_words(item.base);
#include "search_program/woven_schedule.inc"
            }
            const State midstate = make_state(args.midstates + std::size_t{8} * item.version_index);
            const State start = start_of(midstate, tables);
            State states[kSlots];
#include GPUMINER_WOVEN_ROLLED
            note_unit(args, last, buffers.h7);
            swap(hash2, next_hash2);
            last = before, before = item;
            if (++item.version_index == args.versions) item.version_index = 0, item.base += kUnit;
        }
    }

    static void scan(ScanArguments& args) { args.versions == 1 ? scan_fixed(args) : scan_rolled(args); }

private:
    static void swap(UnitPairs*& x, UnitPairs*& y) {
        UnitPairs* const z = x;
        x = y, y = z;
    }
};

#undef begin_hash1
#undef begin_hash2
#undef rounds_hash1
#undef rounds_hash2
#undef shared_rounds_hash1
#undef shared_rounds_hash2
#undef end_hash1
#undef end_hash2
#undef store_hash1
#undef store_hash2
#undef load_digests
#undef message
#undef job

}  // namespace
}  // namespace gpuminer::cpu

#undef rotr
#undef shr
#undef GPUMINER_INLINE
