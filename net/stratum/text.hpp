// Values that more than one message of Stratum has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "net/stratum/message.hpp"
#include "net/stratum/session.hpp"

namespace gpuminer::net {

/// Version bits: 1 to 8 hex digits. Empty for anything else.
[[nodiscard]] std::optional<std::uint32_t> read_mask(const nlohmann::json& value);

/// JSON in quotes for a message, as quoted_text() of host/block/text.hpp.
[[nodiscard]] std::string quoted_json(const nlohmann::json& value);

/// The reply to a share, with the kinds of refusal told apart by code and, where pools use others, by their words.
[[nodiscard]] ShareReply answer_of(const StratumMessage& reply);

}  // namespace gpuminer::net
