// The fast form's work once per job, and for one nonce by itself. Apart from the search, so that it does not affect the
// code that the compiler makes of that.
#include "verushash/lane.hpp"
#include "verushash/prepare.hpp"
#include "verushash/scan_function.hpp"

namespace gpuminer::verushash {
namespace {

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
