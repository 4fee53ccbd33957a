// The search with the CPU's SHA instructions: the first hashes of `kNonces` nonces take turns with the second hashes of
// as many nonces before them. Included by the file of each form.
//
// A round waits for the one before it, and another hash fills the gap. That it is one of the other kind spreads what
// schedules take over the rounds: with several versions a first hash's schedule is there already.
#pragma once

#include "cpu/scan/lanes_scalar.hpp"
#include "cpu/scan/note.hpp"
#include "cpu/scan/shani_rounds.hpp"

namespace gpuminer::cpu {
namespace {

/// K+W of the groups 1 … 3 of the header's second block.
constexpr RoundWords kPaddedHeader = padding_k_plus_w(4, 80 * 8);

/// What is alike for all nonces of a job in the schedule of the header's second block, whose W3 is the nonce.
struct JobSchedule {
    __m128i w0_3, w16_19;  ///< words, the nonce being zero
    __m128i w20_23_begun;  ///< all but what `msg2` adds: no word of it is later than W16, which is every nonce's
    __m128i w24_27_begun, w28_31_begun;  ///< what `msg1` gives, likewise

    explicit JobSchedule(const std::uint32_t* tail) : w0_3(words(tail[0], tail[1], tail[2], 0)) {
        const __m128i w4_7 = words(0x80000000, 0, 0, 0), w8_11 = words(0, 0, 0, 0), w12_15 = words(0, 0, 0, 80 * 8);
        w16_19 = next_words(w0_3, w4_7, w8_11, w12_15);
        w20_23_begun = begin_words(w4_7, w8_11, w12_15, w16_19);
        w24_27_begun = _mm_sha256msg1_epu32(w8_11, w12_15);
        w28_31_begun = _mm_sha256msg1_epu32(w12_15, w16_19);
    }
};

/// The same of one nonce, to be asked for the groups from 1 on in turn.
struct NonceSchedule {
    __m128i w[4];
    __m128i from_nonce;  ///< what the nonce adds to W18 and W19

    /// `nonce_word`: as it stands in the message.
    GPUMINER_INLINE static NonceSchedule of(const JobSchedule& job, std::uint32_t nonce_word) {
        using L = ScalarLanes;
        const std::uint32_t sigma0 = L::xor3(L::rotr<7>(nonce_word), L::rotr<18>(nonce_word), L::shr<3>(nonce_word));
        const auto both = static_cast<long long>(std::uint64_t{nonce_word} << 32 | sigma0);
        const __m128i from_nonce = _mm_slli_si128(_mm_cvtsi64_si128(both), 8);
        return {{_mm_add_epi32(job.w16_19, from_nonce)}, from_nonce};
    }
    /// The nonce where a state has A and E.
    [[nodiscard]] GPUMINER_INLINE __m128i in_a_and_e() const { return _mm_shuffle_epi32(from_nonce, 0xcc); }

    GPUMINER_INLINE __m128i k_plus_w(const JobSchedule& job, int group) {
        if (group < 4) return group_of(kPaddedHeader, group);
        __m128i& next = w[group % 4];
        const __m128i w1 = w[(group + 1) % 4], w2 = w[(group + 2) % 4], w3 = w[(group + 3) % 4];
        if (group == 5) next = _mm_sha256msg2_epu32(job.w20_23_begun, w3);
        if (group == 6) next = end_words(job.w24_27_begun, w2, w3);
        if (group == 7) next = end_words(job.w28_31_begun, w2, w3);
        if (group > 7) next = next_words(next, w1, w2, w3);
        return _mm_add_epi32(next, group_of(kK, group));
    }
};

template <int kNonces>
struct ShaniScan {
    /// Nonces with a version whose first hashes are done.
    struct HalfDone {
        State digests[kNonces] = {};
        std::uint32_t version_index = 0, nonce = 0;  ///< the first nonce
        bool is_real = false;                        ///< not so before the first pass
    };

    /// The midstate after the first four rounds, as if the nonce, the word of the fourth, were zero.
    GPUMINER_INLINE static State start_state(const State& midstate, const JobSchedule& job) {
        State state = midstate;
        const __m128i kw = _mm_add_epi32(job.w0_3, group_of(kK, 0));
        two_rounds(state, low_half(kw));
        two_rounds(state, high_half(kw));
        return state;
    }
    /// A round adds its word to the new A and the new E.
    GPUMINER_INLINE static State after_nonce(const State& start, __m128i nonce_in_a_and_e) {
        return {_mm_add_epi32(start.abef, nonce_in_a_and_e), start.cdgh};
    }

    /// The rounds of the first hashes from the fifth on, `k_plus_w(nonce, group)` being theirs, and the second hashes
    /// of `digests`, but for the last two rounds, which only move E to H.
    template <class KPlusW>
    GPUMINER_INLINE static void run_both(State (&first)[kNonces], KPlusW k_plus_w, const State (&digests)[kNonces],
                                         std::uint32_t (&h7)[kNonces]) {
        State second[kNonces];
        DigestSchedule schedules[kNonces];
#pragma GCC unroll 2
        for (int n = 0; n < kNonces; ++n) {
            second[n] = make_state(sha256::kInitialState.data());
            schedules[n] = DigestSchedule::of(digests[n]);
        }
#pragma GCC unroll 16
        for (int group = 0; group < kGroups; ++group) {
#pragma GCC unroll 2
            for (int n = 0; n < kNonces; ++n) {
                const __m128i second_kw = schedules[n].k_plus_w(group);
                two_rounds(second[n], low_half(second_kw));
                if (group == 0) {
                    two_rounds(second[n], high_half(second_kw));
                } else {
                    const auto first_kw = k_plus_w(n, group);
                    two_rounds(first[n], low_half(first_kw));
                    if (group < kGroups - 1) two_rounds(second[n], high_half(second_kw));
                    two_rounds(first[n], high_half(first_kw));
                }
            }
        }
#pragma GCC unroll 2
        for (int n = 0; n < kNonces; ++n)
            h7[n] = static_cast<std::uint32_t>(_mm_cvtsi128_si32(second[n].abef)) + sha256::kInitialState[7];
    }

    /// Completes what was half done, and does the first half of the nonces from `nonce` on, whose states after four
    /// rounds are `states`, which go on to their digests. (Past the end of the range, note() drops what is found.)
    template <class KPlusW>
    GPUMINER_INLINE static void pass(ScanArguments& args, HalfDone& half_done, std::uint32_t version_index,
                                     std::uint32_t nonce, const State& midstate, State (&states)[kNonces],
                                     KPlusW k_plus_w) {
        std::uint32_t h7[kNonces];
        run_both(states, k_plus_w, half_done.digests, h7);
#pragma GCC unroll 2
        for (int n = 0; n < kNonces; ++n) {
            if (__builtin_expect((h7[n] & args.sieve_mask) == 0 && half_done.is_real, 0))
                note(args, half_done.version_index, half_done.nonce + static_cast<std::uint32_t>(n), h7[n]);
            half_done.digests[n] = states[n];
            add_state(half_done.digests[n], midstate);
        }
        half_done.version_index = version_index;
        half_done.nonce = nonce;
        half_done.is_real = true;
    }

    static std::uint32_t nonce_word(std::uint32_t nonce) { return __builtin_bswap32(nonce); }

    static void scan_fixed(ScanArguments& args) {
        const JobSchedule job(args.tail);
        const State midstate = make_state(args.midstates), start = start_state(midstate, job);
        HalfDone half_done;
        const std::uint64_t end = args.first_nonce + args.count + kNonces;  // a pass more, for the last second hashes
        for (std::uint64_t base = args.first_nonce; base < end; base += kNonces) {
            const auto nonce = static_cast<std::uint32_t>(base);
            State states[kNonces];
            NonceSchedule schedules[kNonces];
#pragma GCC unroll 2
            for (int n = 0; n < kNonces; ++n) {
                schedules[n] = NonceSchedule::of(job, nonce_word(nonce + static_cast<std::uint32_t>(n)));
                states[n] = after_nonce(start, schedules[n].in_a_and_e());
            }
            pass(args, half_done, 0, nonce, midstate, states,
                 [&](int n, int group) { return schedules[n].k_plus_w(job, group); });
        }
    }

    /// K+W of the groups 4 … 15 of a block of nonces; in place of group 0 the nonce where a state has A and E.
    struct KeptSchedules {
        static constexpr int kBlock = 8 * kNonces;
        __m128i groups[kBlock][kGroups];

        void make(const JobSchedule& job, std::uint32_t first) {
            for (int i = 0; i < kBlock; ++i) {
                NonceSchedule schedule = NonceSchedule::of(job, nonce_word(first + static_cast<std::uint32_t>(i)));
                groups[i][0] = schedule.in_a_and_e();
#pragma GCC unroll 16
                for (int group = 4; group < kGroups; ++group) groups[i][group] = schedule.k_plus_w(job, group);
            }
        }
        [[nodiscard]] GPUMINER_INLINE StoredWords k_plus_w(int i, int group) const {
            return {group < 4 ? address_of(kPaddedHeader, group) : &groups[i][group]};
        }
    };

    /// The schedules of a block of nonces are computed once and kept; each version then runs its rounds over them.
    static void scan_rolled(ScanArguments& args) {
        const JobSchedule job(args.tail);
        KeptSchedules kept;
        HalfDone half_done;
        State states[kNonces] = {};
        const std::uint64_t end = args.first_nonce + args.count;
        for (std::uint64_t base = args.first_nonce; base < end; base += KeptSchedules::kBlock) {
            const auto first = static_cast<std::uint32_t>(base);
            kept.make(job, first);
            for (std::uint32_t v = 0; v < args.versions; ++v) {
                const State midstate = make_state(args.midstates + std::size_t{8} * v);
                const State start = start_state(midstate, job);
                for (int i = 0; i < KeptSchedules::kBlock; i += kNonces) {
#pragma GCC unroll 2
                    for (int n = 0; n < kNonces; ++n) states[n] = after_nonce(start, kept.groups[i + n][0]);
                    pass(args, half_done, v, first + static_cast<std::uint32_t>(i), midstate, states,
                         [&](int n, int group) { return kept.k_plus_w(i + n, group); });
                }
            }
        }
        // The last second hashes; what the first ones make here is not looked at.
        pass(args, half_done, 0, 0, states[0], states, [&](int n, int group) { return kept.k_plus_w(n, group); });
    }

    static void scan(ScanArguments& args) { args.versions == 1 ? scan_fixed(args) : scan_rolled(args); }
};

#undef GPUMINER_INLINE

}  // namespace
}  // namespace gpuminer::cpu
