// A pool as the simulator plays it. It knows which shares it would take, and judges them by hashing them itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/simulation/share_ledger.hpp"

namespace gpuminer::simulation {

class PoolWorld;
class Wire;

/// Parameters of mining.notify, but for the id and the clean flag.
using PoolWork = std::shared_ptr<const nlohmann::json>;

struct PoolSession {
    struct Job {
        PoolWork work;
        std::string extranonce1;  ///< in force when it was sent
        double difficulty = 1;    ///< the same
    };
    std::string id;
    std::string extranonce1;
    double difficulty = 1;
    bool rolls_versions = false;      ///< one of its connections asked for that
    std::map<std::string, Job> jobs;  ///< that are good for shares, by id
};

/// What a pool remembers of one connection.
struct PoolSide {
    std::shared_ptr<PoolSession> session;
    bool authorized = false;
    bool rolls_versions = false;
    bool takes_extranonce = false;  ///< mining.extranonce.subscribe
    bool wants_jobs = false;
    bool told_difficulty = false;
};

class PoolModel {
public:
    PoolModel(PoolWorld& world, std::size_t number);

    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] bool up() const { return up_ && !gone_; }
    /// Whether a share would be taken, on a connection that resumes its session.
    [[nodiscard]] bool would_accept(const FoundShare& share) const;

    /// Null: there is no such connection, or it has not subscribed.
    [[nodiscard]] std::shared_ptr<PoolSession> session_of(const ConnectionId& connection) const;

    // From the wires.
    void connected(const std::shared_ptr<Wire>& wire) { wires_.push_back(wire); }
    void take(const std::shared_ptr<Wire>& wire, const nlohmann::json& message);
    void closed(const Wire& wire);

    // As time goes by.
    /// Something happens to it.
    void live();
    /// Nothing but a job.
    void live_quietly() { new_work(false); }
    void cut_all();
    void shut_down_for_good();

private:
    void answer_configure(Wire& wire, const nlohmann::json& id);
    void answer_subscribe(Wire& wire, const nlohmann::json& id, const nlohmann::json& params);
    void answer_authorize(Wire& wire, const nlohmann::json& id);
    void answer_submit(const std::shared_ptr<Wire>& wire, const nlohmann::json& id, const nlohmann::json& params);
    /// The error of a reply, as JSON; empty: accepted.
    [[nodiscard]] std::string judge(Wire& wire, const nlohmann::json& params);

    void new_work(bool clean);
    void send_first_job(Wire& wire);
    void send_job(Wire& wire, bool clean);
    void send_difficulty(Wire& wire);
    void change_difficulty();
    void change_extranonce();
    void change_mask();
    void restart();
    void forget(const std::string& session);
    [[nodiscard]] std::shared_ptr<Wire> any_wire();

    PoolWorld& world_;
    const std::size_t number_;
    // How it is made:
    const bool resumes_;
    const bool rolls_versions_;
    const bool xors_bits_;
    const bool closes_on_extensions_;
    const bool refuses_configure_;
    const bool ignores_configure_;
    const bool eager_;  ///< gives jobs before it knows who asks
    const bool difficulty_first_;
    const bool clean_at_login_;

    bool up_ = true;
    bool gone_ = false;  ///< for good
    std::vector<std::shared_ptr<Wire>> wires_;
    std::map<std::string, std::shared_ptr<PoolSession>> sessions_;
    std::vector<std::string> order_;  ///< ids of sessions, the oldest first
    std::vector<PoolWork> works_;     ///< the last ones, the oldest first
    PoolWork work_;                   ///< the current one
    std::string job_;                 ///< id of the current one
    std::uint32_t mask_ = 0x1fffe000;
    double difficulty_ = 1;
    std::uint64_t counter_ = 0;
    std::set<std::string> known_;  ///< hashes of shares that were accepted
};

}  // namespace gpuminer::simulation
