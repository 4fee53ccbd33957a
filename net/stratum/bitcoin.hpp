// Bitcoin's dialect of Stratum: the parameters of mining.notify, and jobs whose extranonce goes into the coinbase.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"
#include "net/stratum/job.hpp"

namespace gpuminer::net {

struct BitcoinNotify final : StratumNotify {
    Bytes coinbase1, coinbase2;    ///< around extranonce1 and extranonce2
    std::vector<Digest> branches;  ///< from the leaves up

    [[nodiscard]] bool same_work(const StratumNotify& other) const override;
};

/// Throws ProtocolError naming the parameter that is wrong.
[[nodiscard]] BitcoinNotify parse_bitcoin_notify(const nlohmann::json& params);

/// Beyond the last extranonce2, the time moves on by one second for each round, but never further than 6000 s ahead of
/// the pool's clock, which is the job's time and age. The time is the pool's as long as the job is at most a minute
/// old, then as many seconds later as it is old (no two headers are equal as long as they are asked for in ascending
/// order). Without extranonce2 the time alone counts, and the job's age does not move it. By Stratum V2's rules the
/// time is never ahead of the pool's clock, and below four bytes of extranonce2 only rounds move it.
class BitcoinJob final : public StratumJob {
public:
    /// As StratumJob(); extranonces of 0 to 32 bytes each.
    BitcoinJob(std::shared_ptr<const BitcoinNotify> notify, JobParameters parameters,
               const StratumJob* continues = nullptr);

private:
    [[nodiscard]] BlockHeader make_header(std::uint64_t number) const override;
    [[nodiscard]] bool is_due(std::uint64_t number) const override;
    [[nodiscard]] Bytes extranonce2_of(std::uint64_t number) const override;
    [[nodiscard]] Bytes coinbase_of(std::uint64_t number) const override;
    [[nodiscard]] Digest merkle_root(std::uint64_t number) const;
    [[nodiscard]] std::uint64_t rounds(std::uint64_t number) const;
    [[nodiscard]] std::int64_t seconds_later() const;

    struct Prefix;  // SHA-256 after the part of the coinbase that no extranonce2 changes

    const std::shared_ptr<const BitcoinNotify> notify_;
    BlockHeader base_;  // all but the merkle root
    std::shared_ptr<const Prefix> prefix_;
};

}  // namespace gpuminer::net
