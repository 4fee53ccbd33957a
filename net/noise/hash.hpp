// SHA-256 of what stands one after the other, BIP 340's tagged hashes, and Noise's HKDF.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "net/noise/secret.hpp"

namespace gpuminer::net {

using ByteSpans = std::initializer_list<std::span<const std::uint8_t>>;

[[nodiscard]] std::span<const std::uint8_t> bytes_in(std::string_view text);

/// SHA-256 of all of it, into `out`, which may be one of the parts.
void sha256_of(ByteSpans parts, std::array<std::uint8_t, 32>& out);
/// The same with the hash of `tag` twice before it.
void tagged_hash(std::string_view tag, ByteSpans parts, std::array<std::uint8_t, 32>& out);

/// RFC 5869 with no info and two outputs.
[[nodiscard]] std::pair<Secret, Secret> hkdf(const Secret& chaining_key, std::span<const std::uint8_t> input);

}  // namespace gpuminer::net
