// Constants of Bitcoin: amounts in satoshis, and script opcodes that push small numbers (Bitcoin's script.h).
#pragma once

#include <cstdint>

namespace gpuminer::net {

inline constexpr std::uint64_t kCoin = 100'000'000;
/// MAX_MONEY of Bitcoin's consensus: no output and no sum of outputs is larger.
inline constexpr std::uint64_t kMaxMoney = 21'000'000 * kCoin;

inline constexpr std::uint8_t kOp0 = 0x00;
inline constexpr std::uint8_t kOp1 = 0x51;  ///< kOp1 + n - 1 pushes n, up to 16

}  // namespace gpuminer::net
