// `gpuminer explain`: each step of the double hash, for learners.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/explain/lesson.hpp"
#include "host/block/hash256.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

/// One run of SHA-256's compression function with everything it computes (FIPS 180-4, 6.2.2). Words are
/// numbers; a block's bytes are read as big-endian words.
struct Compression {
    using State = std::array<std::uint32_t, 8>;  ///< a b c d e f g h

    std::array<std::uint32_t, 16> block;
    State before;
    std::array<std::uint32_t, 64> schedule;  ///< W[0] … W[63]
    std::array<State, 64> rounds;            ///< the state after each round
    State after;                             ///< before + rounds[63], word by word

    /// `after` as the 32 bytes that SHA-256 puts out (each word big-endian; internal order), in hex.
    [[nodiscard]] std::string after_hex() const;
};

struct Explanation {
    BlockHeader header;
    bool nonce_given = false;       ///< false: 152 digits, explained with nonce 0
    Compression block1;             ///< first hash, header bytes 0…63: ends with the midstate
    Compression block2;             ///< first hash, the rest and padding: ends with digest 1
    Compression second;             ///< second hash, of digest 1: ends with digest 2
    Hash256 hash;                   ///< digest 2 with its bytes reversed (display order)
    std::optional<Hash256> target;  ///< none where nBits is not a target
    std::string target_problem;     ///< then: why
};

/// SHA-256 as kernel/ writes it, step by step.
[[nodiscard]] Explanation explain(const HeaderInput& input);

/// `steps`: with the schedule and the 64 rounds of each compression.
[[nodiscard]] std::vector<lesson::Section> explain_sections(const Explanation& explanation, bool steps);
[[nodiscard]] nlohmann::ordered_json explain_json(const Explanation& explanation, bool steps);

}  // namespace gpuminer
