// ElligatorSwift (BIP 324): public keys as 64 bytes that look like random ones, and secrets shared by way of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "net/noise/curve.hpp"
#include "net/noise/secret.hpp"

namespace gpuminer::net {

/// u and t, 32 bytes each, big-endian; any bytes are an x coordinate.
using EllSwift = std::array<std::uint8_t, 64>;

[[nodiscard]] XCoordinate decode_ellswift(const EllSwift& encoded);
/// One of the many encodings of the point. `draw`: of 32 bytes (u) and of one (the case), again and again until they
/// fit.
[[nodiscard]] EllSwift encode_ellswift(const XCoordinate& x, const RandomDraw& draw);
/// XSwiftECInv(x, u, case): the t whose encoding with u is of x; `which` is 0 to 7. Empty: there is none.
[[nodiscard]] std::optional<XCoordinate> invert_ellswift(const XCoordinate& x, const XCoordinate& u, unsigned which);

/// What both sides know after each has sent its key: of the side that sent first, v2_ecdh().
[[nodiscard]] Secret shared_secret(const Secret& key, const EllSwift& own, const EllSwift& theirs);

}  // namespace gpuminer::net
