// Byte strings, and whole numbers in them in either byte order.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpuminer {

using Bytes = std::vector<std::uint8_t>;

/// The number that these bytes write, the least significant first; at most 8 of them.
[[nodiscard]] constexpr std::uint64_t load_le(std::span<const std::uint8_t> bytes) {
    assert(bytes.size() <= sizeof(std::uint64_t));
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

/// Fills `out` (at most 8 bytes) with the lowest bytes of the number, the least significant first.
constexpr void store_le(std::span<std::uint8_t> out, std::uint64_t value) {
    assert(out.size() <= sizeof(value));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// Of the four bytes from index `at` on.

[[nodiscard]] constexpr std::uint32_t load_le32(std::span<const std::uint8_t> bytes, std::size_t at = 0) {
    return static_cast<std::uint32_t>(load_le(bytes.subspan(at, 4)));
}

constexpr void store_le32(std::span<std::uint8_t> out, std::size_t at, std::uint32_t value) {
    store_le(out.subspan(at, 4), value);
}

[[nodiscard]] constexpr std::uint32_t load_be32(std::span<const std::uint8_t> bytes, std::size_t at = 0) {
    std::uint32_t value = 0;
    for (const std::uint8_t byte : bytes.subspan(at, 4)) value = value << 8 | byte;
    return value;
}

constexpr void store_be32(std::span<std::uint8_t> out, std::size_t at, std::uint32_t value) {
    std::size_t bits = 32;
    for (std::uint8_t& byte : out.subspan(at, 4)) byte = static_cast<std::uint8_t>(value >> (bits -= 8));
}

}  // namespace gpuminer
