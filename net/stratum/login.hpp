// The login of a Stratum session, and the session's options.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "net/steady_time.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/message.hpp"

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

/// mining.configure, mining.subscribe, mining.authorize, and the wait for work after it.
class StratumLogin {
public:
    /// Both outlive the object.
    StratumLogin(const StratumOptions& options, StratumOutput& output);

    void start();
    /// What a reply has brought.
    enum class Step { kNone, kConfigured, kSubscribed, kLoggedIn };
    /// kNone, too, where it replies to no request of the login. Throws ProtocolError.
    [[nodiscard]] Step take_reply(std::uint64_t id, const StratumMessage& reply);
    /// The request that comes after the subscription.
    void authorize();
    /// Of what the pool owes by now: the end of the session, but for mining.configure, which it may ignore.
    void look_at_clock();

    /// The pool owes work from now on.
    void await_work() { await(Awaiting::kWork); }
    void work_has_come();
    /// Once, where the work has not come within a second.
    [[nodiscard]] bool asks_for_work();

    /// In reply to mining.configure, maybe only after the subscription.
    [[nodiscard]] const ConfigureReply& granted() const { return granted_; }
    [[nodiscard]] bool subscribed() const { return subscribed_; }
    [[nodiscard]] bool logged_in() const { return logged_in_; }
    /// In reply to mining.subscribe.
    [[nodiscard]] const Extranonce& extranonce() const { return extranonce_; }

private:
    /// What the pool owes now, by a deadline.
    enum class Awaiting { kNothing, kConfigure, kSubscribe, kAuthorize, kWork };

    void request(Awaiting what, std::string_view method, const nlohmann::json& params);
    void await(Awaiting what);
    void subscribe();
    [[nodiscard]] Step take_configure_reply(const StratumMessage& reply);
    [[nodiscard]] Step take_subscribe_reply(const StratumMessage& reply);
    [[nodiscard]] Step take_authorize_reply(const StratumMessage& reply);

    const StratumOptions& options_;
    StratumOutput& output_;
    std::string resume_session_;                  // empty: a new one is asked for
    std::map<std::uint64_t, Awaiting> requests_;  // without a reply, by id
    Awaiting awaiting_ = Awaiting::kNothing;
    SteadyTime deadline_{};
    ConfigureReply granted_;
    Extranonce extranonce_;
    bool subscribed_ = false;
    bool logged_in_ = false;
    bool asked_for_work_ = false;
};

}  // namespace gpuminer::net
