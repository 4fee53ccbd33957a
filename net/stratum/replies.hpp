// A pool's replies to mining.configure, mining.subscribe and mining.submit, read.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "net/stratum/events.hpp"
#include "net/stratum/parameters.hpp"

namespace gpuminer::net {

struct StratumMessage;

/// What a pool grants of BIP 310's extensions; nothing where the reply is a refusal or makes no sense.
struct ConfigureReply {
    bool version_rolling = false;
    std::uint32_t version_mask = 0;  ///< 0: rolling is granted, but no bit
    bool subscribe_extranonce = false;
};
[[nodiscard]] ConfigureReply read_configure_reply(const StratumMessage& reply);

struct SubscribeReply {
    std::string session;  ///< to resume it with, at most 256 bytes; empty: the pool gave none
    Extranonce extranonce;
};
/// From the first element of its result: [[["mining.set_difficulty", ID], ["mining.notify", ID]], …], or
/// ["mining.notify", ID] alone. Empty: there is none, or too long a one.
[[nodiscard]] std::string session_id(const nlohmann::json& subscriptions);

/// With the kinds of refusal told apart by code and, where pools use others, by their words.
[[nodiscard]] ShareReply read_share_reply(const StratumMessage& reply);

}  // namespace gpuminer::net
