// A pool's job as the devices get it: it remembers which connection it came from.
#pragma once

#include <memory>
#include <utility>

#include "net/stratum/job.hpp"

namespace gpuminer::net {

class PoolJob final : public MiningJob {
public:
    PoolJob(std::shared_ptr<const StratumJob> work, std::size_t pool, std::uint64_t connection)
        : work_(std::move(work)), pool_(pool), connection_(connection) {}

    [[nodiscard]] BlockHeader header(std::uint64_t index) const override { return work_->header(index); }
    [[nodiscard]] Hash256 target() const override { return work_->target(); }
    [[nodiscard]] std::uint32_t version_mask() const override { return work_->version_mask(); }

    [[nodiscard]] const std::shared_ptr<const StratumJob>& work() const { return work_; }
    [[nodiscard]] std::size_t pool() const { return pool_; }  ///< index among the options' pools
    [[nodiscard]] std::uint64_t connection() const { return connection_; }

private:
    std::shared_ptr<const StratumJob> work_;
    std::size_t pool_;
    std::uint64_t connection_;
};

}  // namespace gpuminer::net
