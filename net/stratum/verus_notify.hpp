// The parameters of mining.notify in Verus' dialect.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/block/digest.hpp"
#include "net/stratum/notify.hpp"
#include "verushash/block.hpp"

namespace gpuminer::net {

struct VerusNotify final : StratumNotify {
    /// With all that the pool gave in its place; the field nonce and the last 15 bytes are zero.
    verushash::Header header;

    [[nodiscard]] bool same_work(const StratumNotify& other) const override;
};

/// [job, version, previous hash, merkle root, Sapling root, time, nBits, clean, solution]: bytes in hex, in the order
/// that they have in a header. At the solution's end pools leave out what is zero. Source: the pool's own code,
/// github.com/hellcatz/node-stratum-pool, lib/blockTemplate.js. Throws ProtocolError naming the parameter that is
/// wrong.
[[nodiscard]] VerusNotify parse_verus_notify(const nlohmann::json& params);

}  // namespace gpuminer::net
