// Jobs of Stratum V2's standard channels: headers whose merkle root the pool gives.
#pragma once

#include <cstdint>
#include <memory>

#include "host/block/hash256.hpp"
#include "net/stratum/job.hpp"

namespace gpuminer::net::sv2 {

struct StandardNotify final : StratumNotify {
    Digest merkle_root{};

    [[nodiscard]] bool same_work(const StratumNotify& other) const override;
};

/// Only the version's bits, the nonce and the time differ among its headers. The time is the pool's, and for each
/// further header a second later, but never more seconds than the job is old.
class StandardJob final : public StratumJob {
public:
    /// As StratumJob().
    StandardJob(std::shared_ptr<const StandardNotify> notify, JobParameters parameters,
                const StratumJob* continues = nullptr);

private:
    [[nodiscard]] BlockHeader make_header(std::uint64_t number) const override;
    [[nodiscard]] bool is_due(std::uint64_t number) const override;
    [[nodiscard]] Bytes extranonce2_of(std::uint64_t /*number*/) const override { return {}; }

    const std::shared_ptr<const StandardNotify> notify_;
};

}  // namespace gpuminer::net::sv2
