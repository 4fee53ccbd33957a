#include "cli/explain/explain.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "host/block/header_text.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;

Compression compress_in_steps(const Compression::State& before, const std::array<std::uint32_t, 16>& block) {
    Compression result{};
    result.block = block;
    result.before = before;
    sha256::Schedule<std::uint32_t> schedule(block);
    Compression::State state = before;
    for (std::size_t t = 0; t < 64; ++t) {
        result.schedule[t] = schedule.next(t);
        state = sha256::round(state, sha256::kRoundConstants[t], result.schedule[t]);
        result.rounds[t] = state;
    }
    for (std::size_t i = 0; i < 8; ++i) result.after[i] = before[i] + state[i];
    return result;
}

Hash256 as_display(const Compression::State& digest) {
    Digest bytes{};
    for (std::size_t i = 0; i < digest.size(); ++i) store_be32(bytes, 4 * i, digest[i]);
    return display_order(bytes);
}

template <std::size_t N>
Json words_json(const std::array<std::uint32_t, N>& words) {
    Json json = Json::array();
    for (const std::uint32_t word : words) json.push_back(hex8(word));
    return json;
}

Json compression_json(const char* name, const Compression& compression, bool steps) {
    Json json = {{"name", name},
                 {"block", words_json(compression.block)},
                 {"state_before", words_json(compression.before)},
                 {"state_after_rounds", words_json(compression.rounds.back())},
                 {"state_after", words_json(compression.after)}};
    if (steps) {
        Json rounds = Json::array();
        for (std::size_t t = 0; t < 64; ++t) {
            rounds.push_back({{"round", t},
                              {"k", hex8(sha256::kRoundConstants[t])},
                              {"w", hex8(compression.schedule[t])},
                              {"state", words_json(compression.rounds[t])}});
        }
        json["rounds"] = std::move(rounds);
    }
    return json;
}

}  // namespace

std::string Compression::after_hex() const {
    std::string hex;
    for (const std::uint32_t word : after) hex += hex8(word);
    return hex;
}

Explanation explain(const HeaderInput& input) {
    Explanation result{};
    result.header = input.header;
    result.nonce_given = input.has_nonce;

    std::array<std::uint32_t, 16> words{};
    for (std::size_t i = 0; i < 16; ++i) words[i] = load_be32(input.header.bytes, 4 * i);
    result.block1 = compress_in_steps(sha256::kInitialState, words);
    const std::array<std::uint32_t, 3> tail = {load_be32(input.header.bytes, 64), load_be32(input.header.bytes, 68),
                                               load_be32(input.header.bytes, 72)};
    result.block2 =
        compress_in_steps(result.block1.after, sha256::header_block2(tail, load_be32(input.header.bytes, 76)));
    result.second = compress_in_steps(sha256::kInitialState, sha256::digest_block(result.block2.after));

    result.hash = as_display(result.second.after);
    try {
        result.target = target_from_nbits(input.header.nbits());
    } catch (const InputError& error) {
        result.target_problem = error.what();
    }
    return result;
}

nlohmann::ordered_json explain_json(const Explanation& explanation, bool steps) {
    Json json = {{"header", header_json(explanation.header)},
                 {"nonce_given", explanation.nonce_given},
                 {"compressions", Json::array({compression_json("first hash, block 1", explanation.block1, steps),
                                               compression_json("first hash, block 2", explanation.block2, steps),
                                               compression_json("second hash", explanation.second, steps)})},
                 {"midstate", explanation.block1.after_hex()},
                 {"digest1", explanation.block2.after_hex()},
                 {"digest2", explanation.second.after_hex()},
                 {"hash", explanation.hash.hex()},
                 {"leading_zero_bits", leading_zero_bits(explanation.hash)}};
    if (explanation.target) {
        const Hash256& target = *explanation.target;
        json["target"] = target.hex();
        json["target_leading_zero_bits"] = leading_zero_bits(target);
        json["valid"] = explanation.hash <= target;
        json["difficulty"] = difficulty_of(target);
        json["expected_hashes"] = expected_hashes(target);
    } else {
        json["target"] = nullptr;
        json["target_problem"] = explanation.target_problem;
    }
    return json;
}

}  // namespace gpuminer
