#include "verushash/haraka.hpp"

#include <algorithm>
#include <cstddef>

#include "verushash/haraka_constants.hpp"

namespace gpuminer::verushash {
namespace {

constexpr std::size_t kHarakaRounds = 5;
constexpr std::size_t kAesRoundsPerRound = 2;
constexpr std::size_t kColumnBytes = 4;

/// Column i of the states comes from column kMix[i]; the columns of all states are counted through.
constexpr std::array<std::size_t, 8> kMixOf2 = {0, 4, 1, 5, 2, 6, 3, 7};
constexpr std::array<std::size_t, 16> kMixOf4 = {3, 11, 7, 15, 8, 0, 12, 4, 9, 1, 13, 5, 2, 10, 6, 14};

std::array<Vector128, 40> make_constants() {
    std::array<Vector128, 40> constants;
    std::ranges::transform(kHarakaConstants, constants.begin(),
                           [](RoundConstant constant) { return vector_of(constant.low, constant.high); });
    return constants;
}

template <std::size_t kStates>
std::array<Vector128, kStates> mix(const std::array<Vector128, kStates>& states,
                                   const std::array<std::size_t, 4 * kStates>& sources) {
    std::array<Vector128, kStates> mixed;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto from =
            states[sources[i] / 4].bytes.begin() + static_cast<std::ptrdiff_t>(sources[i] % 4 * kColumnBytes);
        std::copy_n(from, kColumnBytes, mixed[i / 4].bytes.begin() + static_cast<std::ptrdiff_t>(i % 4 * kColumnBytes));
    }
    return mixed;
}

/// The permutation, and its input added to it.
template <std::size_t kStates>
std::array<Vector128, kStates> permute_and_add(std::span<const std::uint8_t, 16 * kStates> input, HarakaKey round_keys,
                                               const std::array<std::size_t, 4 * kStates>& sources) {
    std::array<Vector128, kStates> start;
    for (std::size_t i = 0; i < kStates; ++i) std::ranges::copy(input.subspan(16 * i, 16), start[i].bytes.begin());
    auto states = start;
    std::size_t key = 0;
    for (std::size_t round = 0; round < kHarakaRounds; ++round) {
        for (std::size_t i = 0; i < kAesRoundsPerRound * kStates; ++i) {
            states[i % kStates] = aes_round(states[i % kStates], round_keys[key++]);
        }
        states = mix<kStates>(states, sources);
    }
    for (std::size_t i = 0; i < kStates; ++i) states[i] = states[i] ^ start[i];
    return states;
}

}  // namespace

MixedStates mix_columns_of_two(const Vector128& x, const Vector128& y) {
    const auto mixed = mix<2>({x, y}, kMixOf2);
    return {mixed[0], mixed[1]};
}

Digest haraka256(std::span<const std::uint8_t, 32> input) {
    static const auto constants = make_constants();
    const auto states = permute_and_add<2>(input, constants, kMixOf2);
    Digest digest{};
    std::ranges::copy(states[1].bytes, std::ranges::copy(states[0].bytes, digest.begin()).out);
    return digest;
}

Digest haraka512(std::span<const std::uint8_t, 64> input) {
    static const auto constants = make_constants();
    return haraka512(input, constants);
}

Digest haraka512(std::span<const std::uint8_t, 64> input, HarakaKey round_keys) {
    const auto states = permute_and_add<4>(input, round_keys, kMixOf4);
    Digest digest{};
    auto out = digest.begin();
    // Half of each state: the later columns of the first two, the earlier ones of the others.
    for (std::size_t i = 0; i < 4; ++i) {
        const std::span<const std::uint8_t> bytes = states[i].bytes;
        out = std::ranges::copy(i < 2 ? bytes.last(8) : bytes.first(8), out).out;
    }
    return digest;
}

}  // namespace gpuminer::verushash
