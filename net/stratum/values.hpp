// Values that occur in more than one Stratum message: extranonces and version bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"

namespace gpuminer::net {

inline constexpr std::size_t kLongestExtranonce = 32;  ///< bytes, of each of the two

struct Extranonce {
    Bytes extranonce1;
    unsigned extranonce2_size = 0;  ///< bytes
};
/// How much work a pool wants a share to be.
struct ShareWork {
    double difficulty = 0;          ///< positive and finite
    std::optional<Hash256> target;  ///< where the pool has set that; empty: the difficulty's
};

/// Bitcoin's: 0 to 32 bytes each. `where`: the message that they come from. Throws ProtocolError: with a wrong one,
/// all shares would be refused.
[[nodiscard]] Extranonce read_extranonce(const char* where, const nlohmann::json& extranonce1,
                                         const nlohmann::json& extranonce2_size);

/// Version bits: 1 to 8 hex digits. Empty for anything else.
[[nodiscard]] std::optional<std::uint32_t> read_mask(const nlohmann::json& value);

}  // namespace gpuminer::net
