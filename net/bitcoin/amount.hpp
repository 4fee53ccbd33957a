// Amounts of bitcoin, in satoshis.
#pragma once

#include <cstdint>

namespace gpuminer::net {

inline constexpr std::uint64_t kCoin = 100'000'000;
/// MAX_MONEY of Bitcoin's consensus: no output and no sum of outputs is larger.
inline constexpr std::uint64_t kMaxMoney = 21'000'000 * kCoin;

}  // namespace gpuminer::net
