// BLAKE2b as Verus uses it, by libsodium: the hash of a pre-header.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace gpuminer::verushash {

using PreHeaderHash = std::array<std::uint8_t, 32>;

/// BLAKE2b-256 without key or salt, personalised "VerusDefaultHash" (RFC 7693, BLAKE2's parameter block). OpenSSL's
/// BLAKE2b has no personalisation without a key.
[[nodiscard]] PreHeaderHash pre_header_blake2b(std::span<const std::uint8_t> data);

}  // namespace gpuminer::verushash
