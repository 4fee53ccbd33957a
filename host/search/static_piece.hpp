// The rule by which static mode cuts a range into pieces. Needs no library: baremetal/ has none.
#pragma once

#include <cstdint>

#include "kernel/scan_types.hpp"

namespace gpuminer {

/// Piece number `index` (from 0) of the range cut into `pieces` (at least 1) contiguous ones, whose sizes differ by at
/// most one, the larger ones first.
[[nodiscard]] constexpr NonceRange static_piece(const NonceRange& whole, std::uint64_t pieces, std::uint64_t index) {
    const std::uint64_t size = whole.count / pieces, larger = whole.count % pieces;
    const std::uint64_t before = index < larger ? index : larger;  // larger ones before this piece
    return {static_cast<std::uint32_t>(whole.first + index * size + before), size + (index < larger ? 1 : 0)};
}

}  // namespace gpuminer
