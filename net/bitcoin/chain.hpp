// The networks of blocks that a node or an address can belong to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuminer::net {

enum class Chain { kMain, kTest, kTestnet4, kTestnet5, kSignet, kRegtest, kSimnet };

/// As Bitcoin Core names them in getblockchaininfo and on its command line, and btcd its "simnet"; in the order of
/// kAllChains. A literal, as the texts of the help contain it.
#define GPUMINER_CHAIN_NAMES "main, test, testnet4, testnet5, signet, regtest, simnet"

inline constexpr std::array kAllChains = {Chain::kMain,   Chain::kTest,    Chain::kTestnet4, Chain::kTestnet5,
                                          Chain::kSignet, Chain::kRegtest, Chain::kSimnet};

/// One of GPUMINER_CHAIN_NAMES.
[[nodiscard]] std::string_view name_of(Chain chain);
/// In a sentence: "the main network", "testnet3", "regtest", …
[[nodiscard]] std::string_view description_of(Chain chain);
/// From what Core or btcd ("mainnet", "testnet3", …) call it; empty for anything else.
[[nodiscard]] std::optional<Chain> chain_from_name(std::string_view name);

// The 20-minute rule of testnet3 and testnet4 (testnet5 has none): a block that is dated more than 20 minutes after the
// one before it may, and must, have the least difficulty.

/// Seconds; a block dated later than this after the one before has the least difficulty.
inline constexpr std::uint32_t kEasyBlockAfter = 1200;
/// nBits of the least difficulty on chains that have the rule.
[[nodiscard]] std::optional<std::uint32_t> easiest_bits(Chain chain);

}  // namespace gpuminer::net
