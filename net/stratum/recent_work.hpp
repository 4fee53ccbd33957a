// The jobs that a pool gave lately, so that no header is searched twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "net/stratum/job.hpp"

namespace gpuminer::net {

/// Work that comes again (under another id, after others, on another connection) goes on where it was. On one thread.
class RecentWork {
public:
    /// `first_extranonce2`: of header 0 of each of them; a random number keeps runs of the program apart.
    explicit RecentWork(std::uint64_t first_extranonce2 = 0) : first_extranonce2_(first_extranonce2) {}

    [[nodiscard]] std::uint64_t first_extranonce2() const { return first_extranonce2_; }
    /// The latest job of this work and extranonce; null: none is known.
    [[nodiscard]] std::shared_ptr<const StratumJob> find(const StratumNotify& notify,
                                                         const JobParameters& parameters) const;
    void add(std::shared_ptr<const StratumJob> job);

private:
    static constexpr std::size_t kMost = 8;

    const std::uint64_t first_extranonce2_;
    std::deque<std::shared_ptr<const StratumJob>> jobs_;  // one of each work, the latest last
};

}  // namespace gpuminer::net
