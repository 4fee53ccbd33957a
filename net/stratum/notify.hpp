// The parameters of mining.notify: what a pool says of a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/block/bytes.hpp"
#include "host/block/digest.hpp"

namespace gpuminer::net {

struct StratumNotify {
    std::string id;
    Digest previous_hash{};        ///< as in the header
    Bytes coinbase1, coinbase2;    ///< around extranonce1 and extranonce2
    std::vector<Digest> branches;  ///< from the leaves up
    std::uint32_t version = 0;
    std::uint32_t nbits = 0;
    std::uint32_t time = 0;
    bool clean = false;  ///< shares of older jobs are stale

    /// The same headers come from both: all but the id and the clean flag is equal.
    [[nodiscard]] bool same_work(const StratumNotify& other) const;
};

/// Throws ProtocolError naming the parameter that is wrong.
[[nodiscard]] StratumNotify parse_notify(const nlohmann::json& params);

}  // namespace gpuminer::net
