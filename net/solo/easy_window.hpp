// The 20-minute rule of testnet3 and testnet4 (testnet5 has none): a block that is dated more than 20 minutes after the
// one before it may, and must, have the least difficulty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "net/bitcoin/chain.hpp"

namespace gpuminer::net {

/// Seconds; a block dated later than this after the one before has the least difficulty.
inline constexpr std::uint32_t kEasyBlockAfter = 1200;

/// nBits of the least difficulty on chains that have the rule.
[[nodiscard]] std::optional<std::uint32_t> easiest_bits(Chain chain);

/// The local time of day, "HH:MM:SS".
[[nodiscard]] std::string time_of_day(std::int64_t unix_time);

}  // namespace gpuminer::net
