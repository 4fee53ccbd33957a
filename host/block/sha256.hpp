// The oracle's SHA-256, which shares no code with kernel/: OpenSSL's, or on Windows the system's.
#pragma once

#include <cstdint>
#include <span>

#include "host/block/hash256.hpp"

namespace gpuminer {

[[nodiscard]] Digest sha256_digest(std::span<const std::uint8_t> data);

}  // namespace gpuminer
