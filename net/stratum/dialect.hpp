// Dialects of Stratum V1, one for the pools of each algorithm: a table of functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "net/stratum/job.hpp"
#include "net/stratum/parameters.hpp"
#include "net/stratum/replies.hpp"

namespace gpuminer {
struct Algorithm;
}

namespace gpuminer::net {

struct StratumDialect {
    bool configures;                        ///< pools know mining.configure (BIP 310)
    bool suggests_difficulty;               ///< pools know mining.suggest_difficulty
    std::string_view set_work;              ///< the pool's call that says how much work a share is to be
    const char* bad_work;                   ///< for messages: what is wrong with one that cannot be read
    std::optional<ShareWork> default_work;  ///< until the pool says it; empty: jobs wait for that

    // Those that read the pool's messages throw ProtocolError, but for read_work: empty where it is `bad_work`.
    std::optional<ShareWork> (*read_work)(const nlohmann::json& params);
    SubscribeReply (*read_subscribe_reply)(const StratumMessage& reply);
    Extranonce (*read_set_extranonce)(const nlohmann::json& params);
    std::shared_ptr<const StratumNotify> (*read_notify)(const nlohmann::json& params);

    /// `notify`: of read_notify(). As StratumJob().
    std::shared_ptr<const StratumJob> (*make_job)(const std::shared_ptr<const StratumNotify>& notify,
                                                  JobParameters parameters, const StratumJob* continues);
    /// Of mining.submit. `version_rolling`: the pool granted it.
    nlohmann::json (*submit_params)(const std::string& user, const StratumShare& share, bool version_rolling);
};

extern const StratumDialect kBitcoinDialect;
extern const StratumDialect kVerusDialect;

[[nodiscard]] const StratumDialect& dialect_of(const Algorithm& algorithm);

}  // namespace gpuminer::net
