#include "cli/explain/avalanche.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpuminer {
namespace {

unsigned differing_bits(const Compression::State& one, const Compression::State& other) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < one.size(); ++i) bits += static_cast<unsigned>(std::popcount(one[i] ^ other[i]));
    return bits;
}

std::vector<bool> bits_of(const Compression::State& state) {
    std::vector<bool> bits;
    for (const std::uint32_t word : state) {
        for (int bit = 31; bit >= 0; --bit) bits.push_back((word >> bit & 1) != 0);
    }
    return bits;
}

}  // namespace

Avalanche avalanche(const Explanation& one, const Explanation& other) {
    Avalanche result{one.header.nonce(),
                     other.header.nonce(),
                     {},
                     {},
                     differing_bits(one.block2.after, other.block2.after),
                     differing_bits(one.second.after, other.second.after),
                     one.hash,
                     other.hash};
    for (std::size_t t = 0; t < result.rounds.size(); ++t) {
        const Compression::State &state = one.block2.rounds[t], &other_state = other.block2.rounds[t];
        for (std::size_t i = 0; i < state.size(); ++i) result.changed[t][i] = state[i] ^ other_state[i];
        result.rounds[t] = differing_bits(state, other_state);
    }
    return result;
}

lesson::Section avalanche_section(const Avalanche& avalanche) {
    constexpr std::size_t kInALine = 8;
    Table counts{{"rounds", "", "", "", "", "", "", "", ""}, {}};
    lesson::Bitmap bitmap{"Bits of the state that differ, a row for each round, from a on the left to h on the right",
                          {}};
    for (std::size_t t = 0; t < avalanche.rounds.size(); ++t) {
        if (t % kInALine == 0) counts.rows.push_back({fmt::format("{}-{}", t, t + kInALine - 1)});
        counts.rows.back().push_back(std::to_string(avalanche.rounds[t]));
        bitmap.rows.push_back(bits_of(avalanche.changed[t]));
    }
    const std::string hash = avalanche.hash.hex(), other = avalanche.other_hash.hex();
    return {
        fmt::format("The avalanche: nonce {} against nonce {}", avalanche.nonce, avalanche.other_nonce),
        {lesson::Paragraph{"The nonce enters in round 3 of block 2. Bits of the state, of 256, that differ after each "
                           "round:"},
         std::move(counts), std::move(bitmap),
         lesson::Paragraph{fmt::format("Digest 1 differs in {} bits, digest 2 in {}: about half of them, whatever the "
                                       "change was.",
                                       avalanche.digest1, avalanche.digest2)},
         lesson::Values{
             {fmt::format("hash with nonce {}", avalanche.nonce), {hash}, {}},
             {fmt::format("hash with nonce {}, digits that differ marked", avalanche.other_nonce), {other}, hash}}}};
}

nlohmann::ordered_json avalanche_json(const Avalanche& avalanche) {
    return {{"nonce", avalanche.other_nonce},
            {"hash", avalanche.other_hash.hex()},
            {"changed_bits",
             {{"rounds", avalanche.rounds}, {"digest1", avalanche.digest1}, {"digest2", avalanche.digest2}}}};
}

}  // namespace gpuminer
