// A pool as the simulator plays it, of either version of Stratum. It knows which shares it would take, and judges them
// by hashing them itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/simulation/share_watcher.hpp"

namespace gpuminer::simulation {

class PoolWorld;
class Random;
struct FoundShare;
class Wire;

/// How a pool is made, and what a test has it do. Schedules draw it; as it stands it is a pool that grants everything.
struct PoolTraits {
    [[nodiscard]] static PoolTraits draw(Random& random);
    [[nodiscard]] static PoolTraits draw_v2(Random& random);

    bool v2 = false;  ///< Stratum V2, of which more below
    bool takes_logins = true;
    bool resumes = true;
    bool rolls_versions = true;
    bool closes_on_extensions = false;
    bool refuses_configure = false;
    bool ignores_configure = false;
    bool eager = false;  ///< gives jobs before it knows who asks
    bool difficulty_first = true;
    bool clean_at_login = false;
    bool moody = false;  ///< varies its work, repeats some, answers late, and refuses what it granted before
    bool tls = false;
    double difficulty = 1e-9;
    std::uint32_t mask = 0x1fffe000;
    /// The header's version, from the job's and the submitted bits.
    std::function<std::uint32_t(std::uint32_t job, std::uint32_t bits)> version_of = [](auto job, auto bits) {
        return job ^ bits;
    };
    // Of all jobs, where it is not moody:
    std::string version = "20000000", nbits = "1d00ffff";
    std::string coinbase1 =
        "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0c03000001";
    std::string coinbase2 = "ffffffff0100f2052a01000000160014111111111111111111111111111111111111111100000000";
    std::optional<std::string> extranonce1;  ///< of all sessions; empty: each has its own
    unsigned extranonce2_size = 4;           ///< V2: of extended channels

    // V2:
    bool requires_extended = false;   ///< channels, as its answer to the setup says
    bool refuses_standard = false;    ///< the same, but it says so in its answer to the request
    bool refuses_difficulty = false;  ///< that is asked for
    bool keeps_extranonce = false;    ///< the next connection gets that of the one before
    bool numbers_by_channel = false;  ///< each channel's jobs begin at 1

    /// Called for each message, before it is dealt with; true: it is not.
    std::function<bool(Wire&, const nlohmann::json& message)> intercept;
    /// Called for each share, before the reply; true: the reply is left out. `error`: as judge() says.
    std::function<bool(Wire&, const nlohmann::json& params, const std::string& error)> before_reply;
    /// Called after the first job of a connection.
    std::function<void(Wire&)> after_login;
};

/// Parameters of mining.notify, but for the id and the clean flag.
using PoolWork = std::shared_ptr<const nlohmann::json>;

struct PoolSession {
    struct Job {
        PoolWork work;
        std::string extranonce1;      ///< in force when it was sent
        double difficulty = 1;        ///< the same, or when its block began
        bool rolls_versions = false;  ///< V2
    };
    std::string id;
    std::string extranonce1;
    double difficulty = 1;
    bool rolls_versions = false;      ///< one of its connections asked for that
    std::map<std::string, Job> jobs;  ///< that are good for shares, by id

    // V2: it is a channel.
    std::uint32_t channel = 0, group = 0;  ///< their numbers
    bool whole_jobs = false;               ///< with their coinbases
    std::uint32_t jobs_given = 0;
    std::map<std::string, Job> future;  ///< that wait for their block, by id
};

/// V2: an answer that has not been sent.
struct DueAnswer {
    std::uint32_t sequence = 0;
    std::uint32_t nonce = 0;
    std::string error;  ///< as PoolModel::judge() says
};

/// What a pool remembers of one connection.
struct PoolSide {
    int number = 0;  ///< of the pool's connections, from 1
    std::shared_ptr<PoolSession> session;
    bool authorized = false;
    bool rolls_versions = false;
    bool takes_extranonce = false;  ///< mining.extranonce.subscribe
    bool wants_jobs = false;
    bool told_difficulty = false;

    // V2:
    bool standard_jobs = false;        ///< it wants no others
    bool channel_closed = false;       ///< by the pool
    bool silent = false;               ///< about its shares, from now on
    std::vector<DueAnswer> due;        ///< in the order of their numbers
    std::optional<DueAnswer> delayed;  ///< of those before
};

class PoolModel {
public:
    PoolModel(PoolWorld& world, std::size_t number, PoolTraits traits);

    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] bool v2() const { return traits_.v2; }
    [[nodiscard]] bool tls() const { return traits_.tls; }
    [[nodiscard]] int connections() const { return connections_; }
    [[nodiscard]] bool up() const { return up_ && !gone_; }
    /// Whether a share would be taken, on a connection that resumes its session.
    [[nodiscard]] bool would_accept(const FoundShare& share) const;

    /// Null: there is no such connection, or it has not subscribed.
    [[nodiscard]] std::shared_ptr<PoolSession> session_of(const ConnectionId& connection) const;

    // From the wires.
    void connected(const std::shared_ptr<Wire>& wire);
    void take(const std::shared_ptr<Wire>& wire, const nlohmann::json& message);
    void closed(const Wire& wire);

    // As time goes by.
    /// Something happens to it.
    void live();
    /// Nothing but a job.
    void live_quietly() { new_work(false); }
    void new_work(bool clean);
    void cut_all();
    void shut_down_for_good();

private:
    void answer_configure(Wire& wire, const nlohmann::json& id);
    void answer_subscribe(Wire& wire, const nlohmann::json& id, const nlohmann::json& params);
    void answer_authorize(Wire& wire, const nlohmann::json& id);
    void answer_submit(const std::shared_ptr<Wire>& wire, const nlohmann::json& id, const nlohmann::json& params);
    /// The error of a reply, as JSON; empty: accepted.
    [[nodiscard]] std::string judge(Wire& wire, const nlohmann::json& params);
    /// Of the header that the share stands for. Complains where it must not be.
    [[nodiscard]] std::uint32_t rolled_version(const Wire& wire, const PoolSession::Job& job,
                                               const nlohmann::json& params);
    [[nodiscard]] std::shared_ptr<PoolSession> new_session();
    [[nodiscard]] PoolWork draw_work(bool new_block);

    void send_first_job(Wire& wire);
    void send_job(Wire& wire, bool clean);
    void send_difficulty(Wire& wire);
    [[nodiscard]] std::uint32_t clock() const;  ///< V2: for the times of headers
    void ask_to_reconnect(Wire& wire);
    void change_difficulty();
    void change_extranonce();
    void change_mask();
    void restart();
    void forget(const std::string& session);
    [[nodiscard]] std::shared_ptr<Wire> any_wire();

    // V2 (pool_model_v2.cpp).
    void take_v2(const std::shared_ptr<Wire>& wire, const nlohmann::json& message);
    void answer_setup(Wire& wire, std::uint32_t flags);
    void answer_open(Wire& wire, const nlohmann::json& message);
    void open_channel(Wire& wire, std::uint32_t request, bool extended);
    [[nodiscard]] std::string first_extranonce(bool whole_jobs);
    /// Complains of a channel and a time that are none of its.
    void look_at_fields(const PoolSession& session, const nlohmann::json& params);
    void answer_submit_v2(const std::shared_ptr<Wire>& wire, DueAnswer answer);
    void send_answers(Wire& wire);
    void send_error(Wire& wire, const DueAnswer& answer);
    void send_success(Wire& wire, const std::vector<DueAnswer>& accepted);
    [[nodiscard]] bool is_odd();  ///< as moody pools are now and then
    void send_answers_later(const std::shared_ptr<Wire>& wire);
    [[nodiscard]] std::string error_code(const std::string& error);
    [[nodiscard]] std::uint32_t any_number(const PoolSession& session);  ///< the channel's or its group's
    [[nodiscard]] std::string target_frame(const PoolSession& session);
    [[nodiscard]] std::string extranonce_frame(const PoolSession& session);
    /// Sends a job of this work: to be searched now, or once its block begins. Returns its id.
    std::string give_job(Wire& wire, const PoolWork& work, bool now);
    void send_job_v2(Wire& wire, bool clean);
    void announce_block();
    void close_channel(Wire& wire);
    void disturb(Wire& wire);

    PoolWorld& world_;
    const std::size_t number_;
    const PoolTraits traits_;
    bool up_ = true;
    bool gone_ = false;  ///< for good
    int connections_ = 0;
    std::vector<std::shared_ptr<Wire>> wires_;
    std::map<std::string, std::shared_ptr<PoolSession>> sessions_;
    std::vector<std::string> order_;   ///< ids of sessions, the oldest first
    std::vector<PoolWork> works_;      ///< the last ones, the oldest first
    PoolWork work_;                    ///< the current one
    std::vector<PoolWork> announced_;  ///< V2: each for a next block
    std::string job_;                  ///< id of the current one
    std::uint32_t mask_;
    std::uint64_t counter_ = 0;
    std::string last_extranonce_;  ///< V2: that a connection was given
    bool had_whole_jobs_ = false;  ///< the same
    std::set<std::string> known_;  ///< hashes of shares that were accepted
};

}  // namespace gpuminer::simulation
