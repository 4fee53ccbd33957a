// Parameters of the calls to and from a pool that are the same in all dialects, and values that occur in several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"
#include "net/stratum/events.hpp"

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

// ----- of requests to a pool (those of mining.submit are the dialect's) -----

/// Of mining.configure (BIP 310): version rolling with BIP 320's bits, and a minimum difficulty where `difficulty` is
/// at least 1.
[[nodiscard]] nlohmann::json configure_params(std::optional<double> difficulty);
/// Of mining.subscribe. `session`: to be resumed; empty: a new one.
[[nodiscard]] nlohmann::json subscribe_params(const std::string& agent, const std::string& session);
/// Of mining.suggest_difficulty.
[[nodiscard]] nlohmann::json suggest_difficulty_params(double difficulty);

// ----- of a pool's calls -----

/// Element `at` of the parameters; null where there is none.
[[nodiscard]] const nlohmann::json& parameter(const nlohmann::json& params, std::size_t at);

/// Of mining.set_difficulty. Empty: not a positive number.
[[nodiscard]] std::optional<double> read_difficulty(const nlohmann::json& params);
/// Of mining.set_version_mask. Empty: not hex digits.
[[nodiscard]] std::optional<std::uint32_t> read_version_mask(const nlohmann::json& params);
/// Of client.reconnect. Empty: not a host and a port.
[[nodiscard]] std::optional<ReconnectRequested> read_reconnect(const nlohmann::json& params);
/// Of client.show_message. Empty: no text.
[[nodiscard]] std::optional<OperatorMessage> read_show_message(const nlohmann::json& params);

}  // namespace gpuminer::net
