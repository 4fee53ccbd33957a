// Script opcodes that push small numbers (Bitcoin's script.h).
#pragma once

#include <cstdint>

namespace gpuminer::net {

inline constexpr std::uint8_t kOp0 = 0x00;
inline constexpr std::uint8_t kOp1 = 0x51;  ///< kOp1 + n - 1 pushes n, up to 16

}  // namespace gpuminer::net
