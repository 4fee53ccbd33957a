// VerusHash 2.2, portable: the checker of the fast form's candidates, with which it shares no code.
#pragma once

#include <cstdint>
#include <span>

#include "host/block/hash256.hpp"
#include "verushash/block.hpp"

namespace gpuminer::verushash {

/// Of any bytes as they are; internal order. Source: VerusCoin, src/crypto/verus_hash.h (Finalize2b).
[[nodiscard]] Digest hash_bytes(std::span<const std::uint8_t> data);

/// A block's hash: of the header's canonical form.
[[nodiscard]] Digest hash_header(const Header& header);

}  // namespace gpuminer::verushash
