// A word for each of SHA-256's rounds, for SHA instructions, which take them in groups of four: constants, and sums of
// constant and message word where the words are padding; the initial state. In an anonymous namespace (see
// scan_function.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/sha256.hpp"

namespace gpuminer::cpu {
namespace {

constexpr int kGroups = 16;

struct RoundWords {
    alignas(16) std::uint32_t words[64];
};

constexpr RoundWords copy_round_constants() {
    RoundWords copy{};
    for (std::size_t t = 0; t < 64; ++t) copy.words[t] = sha256::kRoundConstants[t];
    return copy;
}

struct StateWords {
    std::uint32_t words[8];
};

constexpr StateWords copy_initial_state() {
    StateWords copy{};
    for (std::size_t i = 0; i < 8; ++i) copy.words[i] = sha256::kInitialState[i];
    return copy;
}

/// K+W of the groups of a first block that hold nothing but padding, which begins at `first_word`: a one, zeros and the
/// message's length in bits. (The others are not to be used.)
constexpr RoundWords padding_k_plus_w(std::size_t first_word, std::uint32_t bits) {
    RoundWords sums = copy_round_constants();
    sums.words[first_word] += 0x80000000;
    sums.words[15] += bits;
    return sums;
}

/// K+W of a 64-byte message's second block, which is padding alone.
constexpr RoundWords second_block_k_plus_w() {
    RoundWords sums{};
    sha256::Schedule<std::uint32_t> schedule(sha256::padding_block<std::uint32_t>());
    for (std::size_t t = 0; t < 64; ++t) sums.words[t] = sha256::kRoundConstants[t] + schedule.next(t);
    return sums;
}

}  // namespace
}  // namespace gpuminer::cpu
