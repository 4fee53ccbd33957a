// Readers of the parameters of a pool's calls that are the same in all dialects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "net/stratum/events.hpp"
#include "net/stratum/values.hpp"

namespace gpuminer::net {

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
