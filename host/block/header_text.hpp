// Texts and JSON about a header, for `verify` and `explain`.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

/// "2010-12-29 11:57:43 UTC" for seconds since 1970.
[[nodiscard]] std::string utc_time(std::uint32_t seconds);
/// Zero bits before the first one bit, in display order; 256 for zero.
[[nodiscard]] unsigned leading_zero_bits(const Hash256& value);
/// version, version_hex, previous_hash, merkle_root (display order), time, time_utc, nbits (hex), nonce,
/// nonce_hex, hex (160 digits).
[[nodiscard]] nlohmann::ordered_json header_json(const BlockHeader& header);

}  // namespace gpuminer
