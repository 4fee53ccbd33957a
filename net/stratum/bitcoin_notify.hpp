// The parameters of mining.notify in Bitcoin's dialect.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/block/digest.hpp"
#include "host/text/bytes.hpp"
#include "net/stratum/notify.hpp"

namespace gpuminer::net {

struct BitcoinNotify final : StratumNotify {
    Bytes coinbase1, coinbase2;    ///< around extranonce1 and extranonce2
    std::vector<Digest> branches;  ///< from the leaves up

    [[nodiscard]] bool same_work(const StratumNotify& other) const override;
};

/// Throws ProtocolError naming the parameter that is wrong.
[[nodiscard]] BitcoinNotify parse_bitcoin_notify(const nlohmann::json& params);

}  // namespace gpuminer::net
