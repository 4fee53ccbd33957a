// Scalar steps of the ladder. All of them run the textbook's rounds, unrolled by the compiler; what
// differs is what is left to do for each nonce, and what the compiler gets to know.
#include <algorithm>
#include <span>
#include <utility>

#include "bench/workloads/ladder_steps.hpp"
#include "host/block/hash256.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer::bench {
namespace {

using word = std::uint32_t;
using State = sha256::State<word>;
using Block = sha256::Block<word>;
using Schedule = sha256::Schedule<word>;

/// Rounds kFirst … kEnd-1.
template <std::size_t kFirst, std::size_t kEnd>
State run_rounds(State state, Schedule& schedule) {
    [&]<std::size_t... kOffsets>(std::index_sequence<kOffsets...>) {
        ((state = sha256::round(state, sha256::kRoundConstants[kFirst + kOffsets], schedule.next(kFirst + kOffsets))),
         ...);
    }
    (std::make_index_sequence<kEnd - kFirst>{});
    return state;
}

State sum(const State& before, const State& state) {
    State after{};
    for (std::size_t i = 0; i < 8; ++i) after[i] = before[i] + state[i];
    return after;
}

/// The compression function from round 3 on, for a state after round 2. A function of its own, into which no
/// constant gets; the steps share it, so that they differ in work and not in how well code caches take theirs.
[[gnu::noinline, gnu::flatten]] State compress_from_round3(const State& before, const State& after_round2,
                                                           const Block& block) {
    Schedule schedule(block);
    return sum(before, run_rounds<3, 64>(after_round2, schedule));
}

/// The whole compression function.
[[gnu::noinline]] State compress(const State& before, const Block& block) {
    Schedule schedule(block);
    return compress_from_round3(before, run_rounds<0, 3>(before, schedule), block);
}

// This and bytes_of() by hand: as load_be32() and store_be32() they would compile to loops, and the naive steps, which
// are timed with them, would be slower.
word big_endian(const std::uint8_t* bytes) {
    return word{bytes[0]} << 24 | word{bytes[1]} << 16 | word{bytes[2]} << 8 | bytes[3];
}

Block block_of(const std::uint8_t* bytes) {
    Block block{};
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = big_endian(bytes + 4 * i);
    return block;
}

Digest bytes_of(const State& state) {
    Digest digest{};
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

/// SHA-256 of up to 119 bytes, as a library would do it.
Digest sha256_of(std::span<const std::uint8_t> message) {
    std::array<std::uint8_t, 128> padded{};
    std::copy(message.begin(), message.end(), padded.begin());
    padded[message.size()] = 0x80;
    const std::size_t end = message.size() + 9 <= 64 ? 64 : 128;
    padded[end - 2] = static_cast<std::uint8_t>(message.size() * 8 >> 8);
    padded[end - 1] = static_cast<std::uint8_t>(message.size() * 8);
    State state = sha256::initial_state<word>();
    for (std::size_t i = 0; i < end; i += 64) state = compress(state, block_of(&padded[i]));
    return bytes_of(state);
}

/// A digest as a number: bytes reversed.
bool meets(const Digest& digest, const Hash256& target) {
    return !std::lexicographical_compare(target.bytes.begin(), target.bytes.end(), digest.rbegin(), digest.rend());
}

/// What of a header is the same for every nonce.
struct Job {
    explicit Job(const BlockHeader& header)
        : midstate(compress(sha256::initial_state<word>(), block_of(header.bytes.data()))),
          tail{big_endian(&header.bytes[64]), big_endian(&header.bytes[68]), big_endian(&header.bytes[72])} {
        Schedule schedule(sha256::header_block2(tail, 0u));
        after_round2 = run_rounds<0, 3>(midstate, schedule);
    }

    State midstate;
    std::array<word, 3> tail;
    State after_round2{};  ///< of the second block: its first three words come before the nonce
};

/// Calls `hash_meets(nonce)` for each nonce of the range and notes those for which it is true.
template <class HashMeets>
void for_each_nonce(NonceRange range, std::vector<std::uint32_t>& hits, HashMeets hash_meets) {
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const auto nonce = range.first + static_cast<std::uint32_t>(i);
        if (__builtin_expect(hash_meets(nonce), 0)) hits.push_back(nonce);
    }
}

}  // namespace

// Every nonce: 80 bytes put together, padded and hashed; 32 bytes padded and hashed.
void naive(const BlockHeader& header, const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
    for_each_nonce(range, hits, [&](std::uint32_t nonce) {
        return meets(sha256_of(sha256_of(header.with_nonce(nonce).bytes)), target);
    });
}

// The first 64 bytes are hashed once. The rest is padded as words, without a detour over bytes.
void midstate(const BlockHeader& header, const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
    const Job job(header);
    for_each_nonce(range, hits, [&](std::uint32_t nonce) {
        const State digest = compress(job.midstate, sha256::header_block2(job.tail, __builtin_bswap32(nonce)));
        return meets(bytes_of(compress(sha256::initial_state<word>(), sha256::digest_block(digest))), target);
    });
}

// The second block's first three rounds, before the nonce's, are run once.
void early_rounds(const BlockHeader& header, const Hash256& target, NonceRange range,
                  std::vector<std::uint32_t>& hits) {
    const Job job(header);
    for_each_nonce(range, hits, [&](std::uint32_t nonce) {
        const State digest = compress_from_round3(job.midstate, job.after_round2,
                                                  sha256::header_block2(job.tail, __builtin_bswap32(nonce)));
        return meets(bytes_of(compress(sha256::initial_state<word>(), sha256::digest_block(digest))), target);
    });
}

// The compiler sees which message words are padding: what they contribute to rounds and schedule becomes
// constants, and what only the job's words contribute moves out of the loop.
[[gnu::flatten]] void constant_schedule(const BlockHeader& header, const Hash256& target, NonceRange range,
                                        std::vector<std::uint32_t>& hits) {
    const Job job(header);
    for_each_nonce(range, hits, [&](std::uint32_t nonce) {
        Schedule schedule1(sha256::header_block2(job.tail, __builtin_bswap32(nonce)));
        const State digest = sum(job.midstate, run_rounds<3, 64>(job.after_round2, schedule1));
        Schedule schedule2(sha256::digest_block(digest));
        const State initial = sha256::initial_state<word>();
        return meets(bytes_of(sum(initial, run_rounds<0, 64>(initial, schedule2))), target);
    });
}

// Only the digest's last word is computed, and it is e after round 60: rounds 61, 62 and 63 merely pass it
// on to f, g and h. One comparison of words decides.
[[gnu::flatten]] void early_exit(const BlockHeader& header, const Hash256& target, NonceRange range,
                                 std::vector<std::uint32_t>& hits) {
    const Job job(header);
    const std::uint32_t target_top = target.top_word();
    for_each_nonce(range, hits, [&](std::uint32_t nonce) {
        Schedule schedule1(sha256::header_block2(job.tail, __builtin_bswap32(nonce)));
        const State digest = sum(job.midstate, run_rounds<3, 64>(job.after_round2, schedule1));
        Schedule schedule2(sha256::digest_block(digest));
        const State initial = sha256::initial_state<word>();
        constexpr std::size_t kE = 4;
        return passes_top_word(initial[7] + run_rounds<0, 61>(initial, schedule2)[kE], target_top);
    });
}

}  // namespace gpuminer::bench
