// Shared by tests of Verus' dialect: a node's block, a pool's messages about it to a miner, and the hash of a share's
// block, put together as the pool's own code does (github.com/hellcatz/node-stratum-pool, lib/blockTemplate.js).
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "host/block/hash256.hpp"
#include "verushash/block.hpp"

namespace gpuminer::test {

/// Hex digits in the order of a header's bytes.
struct VerusBlock {
    std::string version = "04000100";
    std::string previous_hash = std::string(62, '1') + "a0";
    std::string merkle_root = std::string(62, '2') + "b0";
    std::string sapling_root = std::string(62, '3') + "c0";
    std::string time = "00f15365";
    std::string nbits;
    std::string nonce = std::string(62, '4') + "d0";  ///< the node's, of which the pool tells nothing
    std::string solution;                             ///< without the last 15 bytes

    /// With a solution of this version that lists so many chains, of which the last one is the block's own.
    explicit VerusBlock(unsigned solution_version = 7, unsigned chains = 2, std::string nbits = "0f0f0f20");

    /// Of mining.notify.
    [[nodiscard]] nlohmann::json notify(const std::string& id, bool clean = false) const;
    /// Of the block with a share's time and solution (mining.submit's). `field_nonce`: 64 hex digits.
    [[nodiscard]] verushash::Header with(const std::string& share_time, const std::string& sized_solution,
                                         const std::string& field_nonce) const;
};

/// Display order.
[[nodiscard]] Hash256 verus_hash(const verushash::Header& header);

}  // namespace gpuminer::test
