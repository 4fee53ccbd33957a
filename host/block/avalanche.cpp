#include "host/block/avalanche.hpp"

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

/// A '^' under each digit that is another one.
std::string marks(const std::string& one, const std::string& other) {
    std::string line(one.size(), ' ');
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] != other[i]) line[i] = '^';
    }
    return line;
}

}  // namespace

Avalanche avalanche(const Explanation& one, const Explanation& other) {
    Avalanche result{one.header.nonce(),
                     other.header.nonce(),
                     {},
                     differing_bits(one.block2.after, other.block2.after),
                     differing_bits(one.second.after, other.second.after),
                     one.hash,
                     other.hash};
    for (std::size_t t = 0; t < result.rounds.size(); ++t)
        result.rounds[t] = differing_bits(one.block2.rounds[t], other.block2.rounds[t]);
    return result;
}

std::string avalanche_text(const Avalanche& avalanche) {
    constexpr std::size_t kInALine = 8;
    std::string text = fmt::format(
        "\n9. The avalanche: nonce {} against nonce {}\n\n"
        "   The nonce enters in round 3 of block 2. Bits of the state, of 256, that differ after each round:\n\n",
        avalanche.nonce, avalanche.other_nonce);
    for (std::size_t first = 0; first < avalanche.rounds.size(); first += kInALine) {
        text += fmt::format("   rounds {:>2}-{:<2} ", first, first + kInALine - 1);
        for (std::size_t i = 0; i < kInALine; ++i) text += fmt::format("{:>5}", avalanche.rounds[first + i]);
        text += "\n";
    }
    const std::string hash = avalanche.hash.hex(), other = avalanche.other_hash.hex();
    return text + fmt::format(
                      "\n   Digest 1 differs in {} bits, digest 2 in {}: about half of them, whatever the change was.\n"
                      "   hash       {}\n   and        {}\n              {}\n",
                      avalanche.digest1, avalanche.digest2, hash, other, marks(hash, other));
}

nlohmann::ordered_json avalanche_json(const Avalanche& avalanche) {
    return {{"nonce", avalanche.other_nonce},
            {"hash", avalanche.other_hash.hex()},
            {"changed_bits",
             {{"rounds", avalanche.rounds}, {"digest1", avalanche.digest1}, {"digest2", avalanche.digest2}}}};
}

}  // namespace gpuminer
