// The fast form's work once per job, and for one nonce by itself. Apart from the search, so that it does not affect the
// code that the compiler makes of that.
#include <cstddef>
#include <cstdint>

#include "verushash/lane.hpp"
#include "verushash/scan_function.hpp"
#include "verushash/vectors.hpp"

namespace gpuminer::verushash {
namespace {

struct HarakaConstants {
    HarakaConstants() {
        for (int i = 0; i < 40; ++i) keys[i] = haraka_constant(i);
    }
    Vector keys[40];
};

/// The job's buffer, of a header's 1,487 bytes.
void prepare_buffer(const std::uint8_t* header, PreparedJob& job) {
    const HarakaConstants constants;
    const auto block_half = [&](int block, int half) { return load_bytes(&header[32 * block + 16 * half]); };
    Vector state[2] = {zero(), zero()};
    for (int block = 0; block < 46; ++block) {
        const FourStates in{state[0], state[1], block_half(block, 0), block_half(block, 1)};
        FourStates s = in;
        for (std::size_t round = 0; round < 5; ++round) {
            encrypt_four(s, &constants.keys[8 * round]);
            mix_four(s);
        }
        state[0] = high_halves(add(s.a, in.a), add(s.b, in.b));
        state[1] = low_halves(add(s.c, in.c), add(s.d, in.d));
    }
    auto* const buffer = reinterpret_cast<Vector*>(job.buffer);
    store(buffer, state[0]);
    store(buffer + 1, state[1]);
    for (int i = 0; i < 15; ++i) job.buffer[32 + i] = header[46 * 32 + i];
    for (int i = 47; i < 64; ++i) job.buffer[i] = job.buffer[(i - 47) % 16];
}

/// The job's key, of the state in its buffer.
void prepare_key(PreparedJob& job) {
    const HarakaConstants constants;
    const auto* const buffer = reinterpret_cast<const Vector*>(job.buffer);
    auto* const key = reinterpret_cast<Vector*>(job.key);
    Vector state[2] = {load(buffer), load(buffer + 1)};
    for (int i = 0; i < kKeyLength; i += 2) {
        Vector x = state[0], y = state[1];
        for (std::size_t round = 0; round < 5; ++round) {
            encrypt_two(x, y, &constants.keys[4 * round]);
            mix_two(x, y);
        }
        state[0] = add(state[0], x);
        state[1] = add(state[1], y);
        store(key + i, state[0]);
        store(key + i + 1, state[1]);
    }
}

void operate_any(Round& round, int operation) {
    switch (operation) {
        case 0: return operate<0>(round);
        case 1: return operate<1>(round);
        case 2: return operate<2>(round);
        case 3: return operate<3>(round);
        case 4: return operate<4>(round);
        case 5: return operate<5>(round);
        case 6: return operate<6>(round);
        default: return operate<7>(round);
    }
}

}  // namespace

void fast::absorb(const std::uint8_t* header, PreparedJob& job) { prepare_buffer(header, job); }

void fast::make_key(PreparedJob& job) { prepare_key(job); }

std::uint32_t fast::hash_one(void* workspace, const PreparedJob& job, std::uint32_t nonce, bool whole_key) {
    auto& lane = *static_cast<Lane*>(workspace);
    if (whole_key) copy_key(lane, job);
    const JobVectors vectors(job);
    set_nonce(lane, vectors, nonce);
    lane.rounds = 0;
    std::uint64_t selector = note_round(lane, load(lane.key + kFirstAccumulator));
    while (lane.rounds <= kLaneRounds) {
        Round round(lane);
        operate_any(round, operation_of(selector));
        selector = note_round(lane, round.accumulator);
    }
    const std::uint32_t top = top_word(lane, vectors);
    if (!whole_key) restore(lane, vectors);
    return top;
}

}  // namespace gpuminer::verushash
