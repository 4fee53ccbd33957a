// The search with ARM64's SHA-2 instructions, `kStreams` nonces interleaved. Included once per number of them.
#pragma once

#include "cpu/scan/note.hpp"
#include "cpu/scan/sha2_rounds.hpp"

namespace gpuminer::cpu {
namespace {

/// `padded_header`: of the second block, whose groups 1 … 3 are padding; of a digest those are 2 and 3.
struct Tables {
    RoundWords k, padded_header, padded_digest;
};
constexpr Tables kTables = {copy_round_constants(), padding_k_plus_w(4, 80 * 8), padding_k_plus_w(8, 32 * 8)};

/// What is alike for all nonces of a job in the schedule of the header's second block, whose W3 is the nonce.
struct JobSchedule {
    uint32x4_t w[4];      ///< W0 … W15, the nonce being zero
    uint32x4_t begun[3];  ///< the first halves of the groups 5 to 7, in which no word is later than W16

    explicit JobSchedule(const std::uint32_t* tail)
        : w{words(tail[0], tail[1], tail[2], 0), words(0x80000000, 0, 0, 0), words(0, 0, 0, 0),
            words(0, 0, 0, 80 * 8)} {
        const uint32x4_t w16 = next_words(w[0], w[1], w[2], w[3]);  // W16 is every nonce's
        begun[0] = begin_words(w[1], w[2]);
        begun[1] = begin_words(w[2], w[3]);
        begun[2] = begin_words(w[3], w16);
    }
};

/// The same of one nonce, to be asked for the groups from 1 on in turn.
struct NonceSchedule {
    uint32x4_t w[4];

    GPUMINER_INLINE static NonceSchedule of(const JobSchedule& job, std::uint32_t nonce_word) {
        return {{vsetq_lane_u32(nonce_word, job.w[0], 3), job.w[1], job.w[2], job.w[3]}};
    }
    GPUMINER_INLINE uint32x4_t k_plus_w(const Tables& tables, const JobSchedule& job, int group) {
        if (group < 4) return group_of(tables.padded_header, group);
        const bool begun = group >= 5 && group < 8;
        const uint32x4_t first = begun ? job.begun[group - 5] : begin_words(w[group % 4], w[(group + 1) % 4]);
        w[group % 4] = vsha256su1q_u32(first, w[(group + 2) % 4], w[(group + 3) % 4]);
        return vaddq_u32(w[group % 4], group_of(tables.k, group));
    }
};

template <int kStreams>
struct Sha2Scan {
    /// The midstate after the first four rounds, as if the nonce, the word of the fourth, were zero.
    GPUMINER_INLINE static State start_state(const Tables& tables, const State& midstate, const JobSchedule& job) {
        State state = midstate;
        four_rounds(state, vaddq_u32(job.w[0], group_of(tables.k, 0)));
        return state;
    }

    /// A round adds its word to the new A and the new E, and so does `nonce_word`, in the lowest 32 bits, here.
    GPUMINER_INLINE static State after_nonce(const State& start, uint32x4_t nonce_word) {
        return {vaddq_u32(start.abcd, nonce_word), vaddq_u32(start.efgh, nonce_word)};
    }

    /// `digests`: the words are in order, so that they are the next message as they are.
    GPUMINER_INLINE static void second_hash(const Tables& tables, State (&digests)[kStreams],
                                            std::uint32_t (&h7)[kStreams]) {
        Schedule schedules[kStreams];
        State states[kStreams];
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s) {
            schedules[s] = {{digests[s].abcd, digests[s].efgh, words(0x80000000, 0, 0, 0), words(0, 0, 0, 32 * 8)}};
            states[s] = make_state(sha256::kInitialState.data());
        }
        run_rounds<0, 14>(states, [&](int s, int group) {
            return group == 2 || group == 3 ? group_of(tables.padded_digest, group)
                                            : schedules[s].k_plus_w(tables.k, group);
        });
        // Of the last four rounds the first makes what the others only move from E to H.
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s) {
            const uint32x4_t efgh = vsha256h2q_u32(states[s].efgh, states[s].abcd, schedules[s].k_plus_w(tables.k, 15));
            h7[s] = vgetq_lane_u32(efgh, 3) + sha256::kInitialState[7];
        }
    }

    /// Past the end of the range, note() drops what is found.
    GPUMINER_INLINE static void note_all(ScanArguments& args, std::uint32_t version_index, std::uint32_t nonce,
                                         const std::uint32_t (&h7)[kStreams]) {
#pragma GCC unroll 4
        for (int s = 0; s < kStreams; ++s) {
            if (__builtin_expect((h7[s] & args.sieve_mask) == 0, 0))
                note(args, version_index, nonce + static_cast<std::uint32_t>(s), h7[s]);
        }
    }

    static std::uint32_t nonce_word(std::uint32_t nonce) { return __builtin_bswap32(nonce); }

    static void scan_fixed(ScanArguments& args) {
        const Tables& tables = by_one_address(kTables);
        const JobSchedule job(args.tail);
        const State midstate = make_state(args.midstates), start = start_state(tables, midstate, job);
        const std::uint64_t end = args.first_nonce + args.count;
        for (std::uint64_t base = args.first_nonce; base < end; base += kStreams) {
            const auto first = static_cast<std::uint32_t>(base);
            State states[kStreams];
            NonceSchedule schedules[kStreams];
#pragma GCC unroll 4
            for (int s = 0; s < kStreams; ++s) {
                const std::uint32_t word = nonce_word(first + static_cast<std::uint32_t>(s));
                schedules[s] = NonceSchedule::of(job, word);
                states[s] = after_nonce(start, words(word, 0, 0, 0));
            }
            run_rounds<1, 15>(states, [&](int s, int group) { return schedules[s].k_plus_w(tables, job, group); });
            std::uint32_t h7[kStreams];
            for (auto& state : states) add_state(state, midstate);
            second_hash(tables, states, h7);
            note_all(args, 0, first, h7);
        }
    }

    /// The schedules of a block of nonces are computed once and kept; each version then runs its rounds over them,
    /// kStreams nonces at a time.
    static void scan_rolled(ScanArguments& args) {
        constexpr int kBlock = 4 * kStreams;
        const Tables& tables = by_one_address(kTables);
        const JobSchedule job(args.tail);
        const std::uint64_t end = args.first_nonce + args.count;
        for (std::uint64_t base = args.first_nonce; base < end; base += kBlock) {
            const auto first = static_cast<std::uint32_t>(base);
            uint32x4_t kept[kBlock][kGroups];  // K+W; of group 0 the nonce alone
            for (int i = 0; i < kBlock; ++i) {
                const std::uint32_t word = nonce_word(first + static_cast<std::uint32_t>(i));
                NonceSchedule schedule = NonceSchedule::of(job, word);
                kept[i][0] = words(word, 0, 0, 0);
#pragma GCC unroll 16
                for (int group = 4; group < kGroups; ++group) kept[i][group] = schedule.k_plus_w(tables, job, group);
            }
            for (std::uint32_t v = 0; v < args.versions; ++v) {
                const State midstate = make_state(args.midstates + std::size_t{8} * v);
                const State start = start_state(tables, midstate, job);
                for (int i = 0; i < kBlock; i += kStreams) {
                    State states[kStreams];
#pragma GCC unroll 4
                    for (int s = 0; s < kStreams; ++s) states[s] = after_nonce(start, kept[i + s][0]);
                    run_rounds<1, 15>(states, [&](int s, int group) {
                        return group < 4 ? group_of(tables.padded_header, group) : kept[i + s][group];
                    });
                    std::uint32_t h7[kStreams];
                    for (auto& state : states) add_state(state, midstate);
                    second_hash(tables, states, h7);
                    note_all(args, v, first + static_cast<std::uint32_t>(i), h7);
                }
            }
        }
    }

    static void scan(ScanArguments& args) { args.versions == 1 ? scan_fixed(args) : scan_rolled(args); }
};

#undef GPUMINER_INLINE

}  // namespace
}  // namespace gpuminer::cpu
