// Hashes in internal order: the bytes as SHA-256 gives them, as they stand in headers, transactions and merkle trees.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "host/block/hash256.hpp"

namespace gpuminer {

/// Internal order. Block explorers and JSON-RPC show the bytes reversed (Hash256).
using Digest = std::array<std::uint8_t, 32>;

/// SHA-256 of SHA-256 (FIPS 180-4), by OpenSSL.
[[nodiscard]] Digest double_sha256_digest(std::span<const std::uint8_t> data);
[[nodiscard]] Hash256 display_order(const Digest& digest);
[[nodiscard]] Digest internal_order(const Hash256& hash);

}  // namespace gpuminer
