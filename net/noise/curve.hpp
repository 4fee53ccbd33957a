// The curve secp256k1, of whose points only the x coordinates are told: keys, products, and signatures (BIP 340).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "net/noise/secret.hpp"

namespace gpuminer::net {

/// Big-endian, below the field's prime where it is of a point.
using XCoordinate = std::array<std::uint8_t, 32>;
using SchnorrSignature = std::array<std::uint8_t, 64>;

/// Fills the bytes. Tests have draws of their own.
using RandomDraw = std::function<void(std::span<std::uint8_t>)>;
/// OpenSSL's, for private values. Throws NetworkError where it has no entropy.
void draw_random(std::span<std::uint8_t> bytes);

/// From 1 to the group's order - 1, big-endian; each draw is of 32 bytes.
[[nodiscard]] Secret generate_secret_key(const RandomDraw& draw);
[[nodiscard]] XCoordinate public_key(const Secret& key);
/// The x coordinate of the point's multiple. Empty: there is no such point.
[[nodiscard]] std::optional<Secret> multiply(const Secret& key, const XCoordinate& point);

/// Whether there are points with this x.
[[nodiscard]] bool is_public_key(const XCoordinate& x);
/// BIP 340's verification.
[[nodiscard]] bool is_signed(std::span<const std::uint8_t> message, const SchnorrSignature& signature,
                             const XCoordinate& key);

}  // namespace gpuminer::net
