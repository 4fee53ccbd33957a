// The avalanche effect, for learners: how another nonce changes the double hash.
#pragma once

#include <array>
#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "cli/explain/explain.hpp"

namespace gpuminer {

struct Avalanche {
    std::uint32_t nonce, other_nonce;
    std::array<Compression::State, 64> changed;  ///< ones: bits of the state that differ after each round of block 2
    std::array<unsigned, 64> rounds;             ///< how many of the 256 that are
    unsigned digest1, digest2;                   ///< bits of 256 in which the digests differ
    Hash256 hash, other_hash;                    ///< display order
};

/// Two explanations of one header but for its nonce.
[[nodiscard]] Avalanche avalanche(const Explanation& one, const Explanation& other);

[[nodiscard]] lesson::Section avalanche_section(const Avalanche& avalanche);
[[nodiscard]] nlohmann::ordered_json avalanche_json(const Avalanche& avalanche);

}  // namespace gpuminer
