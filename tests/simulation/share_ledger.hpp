// All shares that a simulated miner found, and the fate of each, judged as it happens.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "net/steady_time.hpp"
#include "tests/simulation/share_watcher.hpp"

namespace gpuminer::simulation {

class PoolWorld;
class Wire;

struct FoundShare {
    std::size_t pool = 0;
    ConnectionId origin;  ///< its job came there
    std::string job;
    std::string extranonce1;
    std::string hash;
    bool solves_block = false;
    net::SteadyTime found{};
    std::string id;                           ///< the journal's; empty: it is not in there
    bool written = false;                     ///< that entry is on disk
    std::optional<net::SteadyTime> released;  ///< from then on it may be sent
    bool settled = false;                     ///< the journal says how it ended
    bool settled_for_good = false;            ///< that entry is on disk
    std::map<ConnectionId, unsigned> sent;    ///< how often
    unsigned accepted = 0;                    ///< by the pool
};

class ShareLedger final : public ShareWatcher {
public:
    explicit ShareLedger(PoolWorld& world) : world_(world) {}

    /// The miner is about to hand it over. Nonces tell shares apart.
    void found(std::uint32_t nonce, FoundShare share);
    /// It has.
    void handed_over(std::uint32_t nonce);
    void journalled(const nlohmann::json& entry) override;
    void released(const nlohmann::json& entry) override;
    void durable(const nlohmann::json& entry) override;
    void killed() override;
    void sent(const Wire& wire, const nlohmann::json& params) override;
    void accepted(const nlohmann::json& params, const std::string& hash) override;
    void refused(const nlohmann::json& params, const std::string& why) override;
    void told(const std::vector<std::uint32_t>& nonces) override;

    /// From now on the client has this connection in use.
    void in_use(std::optional<ConnectionId> connection);
    [[nodiscard]] std::optional<ConnectionId> in_use() const { return in_use_; }
    /// None of those may have been held back.
    void look_for_held_back(std::size_t pool) override;
    /// All shares for the pool in use have been answered.
    [[nodiscard]] bool settled(std::size_t pool) const;
    [[nodiscard]] std::string unsettled(std::size_t pool) const;
    /// Of schedules that last for days.
    void forget_settled();

    bool single_submit = false;
    std::chrono::milliseconds wait_for_reply{0};  ///< then

private:
    [[nodiscard]] bool could_be_accepted(const FoundShare& share) const;
    /// Null: it is long settled.
    [[nodiscard]] FoundShare* with_id(const std::string& id);
    void refused(const FoundShare& share, const std::string& why);
    void fail(const FoundShare& share, const std::string& what);

    PoolWorld& world_;
    std::map<std::uint32_t, FoundShare> shares_;                                   // by nonce
    std::map<std::string, std::uint32_t> nonces_;                                  // by the journal's id
    std::map<ConnectionId, std::pair<std::uint32_t, net::SteadyTime>> last_sent_;  // with single submit
    std::optional<ConnectionId> in_use_;
    net::SteadyTime in_use_since_{};
};

}  // namespace gpuminer::simulation
