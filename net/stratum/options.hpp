// Options of a Stratum session.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/steady_time.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/recent_work.hpp"
#include "net/stratum/share.hpp"

namespace gpuminer::net {

struct StratumOptions {
    std::string user;
    std::string password = "x";                ///< sent, and never part of any text for the user
    std::string agent;                         ///< "gpuminer/0.1.0"
    std::optional<double> suggest_difficulty;  ///< where the dialect has it
    const StratumDialect* dialect = &kBitcoinDialect;
    bool configure = true;             ///< BIP 310, where the dialect has it; some servers close the connection on it
    bool extranonce_subscribe = true;  ///< some servers close the connection on it
    /// From an earlier connection's Subscription, to resume it; empty: a new session.
    std::string resume_session;
    std::optional<std::string> resume_extranonce1;  ///< hex; with this one again the session counts as resumed
    /// Of this pool, for all connections to it; null: of this session alone.
    std::shared_ptr<RecentWork> recent_work;
    JobOrigin origin;  ///< for the jobs
    VersionRolling rolling;
    SteadyClock clock;  ///< for the age of jobs, called by any thread; empty: they never grow old
};

}  // namespace gpuminer::net
