// Values that occur in more than one Stratum message: extranonces and version bits.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "net/stratum/notify.hpp"

namespace gpuminer::net {

struct Extranonce {
    Bytes extranonce1;              ///< 0 to 16 bytes
    unsigned extranonce2_size = 0;  ///< bytes, 1 to 8
};
/// `where`: the message that they come from. Throws ProtocolError: with a wrong one, all shares would be refused.
[[nodiscard]] Extranonce read_extranonce(const char* where, const nlohmann::json& extranonce1,
                                         const nlohmann::json& extranonce2_size);

/// Version bits: 1 to 8 hex digits. Empty for anything else.
[[nodiscard]] std::optional<std::uint32_t> read_mask(const nlohmann::json& value);

}  // namespace gpuminer::net
