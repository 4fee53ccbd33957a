// A small pool, which takes every login, gives jobs, and judges shares by hashing them itself (OpenSSL).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/net/transport/scripted_server.hpp"

namespace gpuminer::test {

struct FakePoolSetting {
    std::string session = "cafe01";
    std::string extranonce1 = "0a0b0c0d";
    unsigned extranonce2_size = 4;
    bool resume = true;  ///< a miner that names its session gets its extranonce1 again; else a new one each time
    double difficulty = 1e-9;
    std::string nbits = "1d00ffff";
    std::string version = "20000000";
    /// For a miner that rolls no versions: at a difficulty of 1e-9 the hash of another header is often low enough, too.
    bool only_the_jobs_version = false;
    /// The header's version, from the job's and the submitted bits (0 where the share has none).
    std::function<std::uint32_t(std::uint32_t job, std::uint32_t bits)> version_of = [](auto job, auto bits) {
        return job ^ bits;
    };
    bool version_rolling = true;
    std::string version_mask = "1fffe000";  ///< that it grants
    bool authorize = true;
    /// Called for each share before the reply; true: the reply is left out.
    std::function<bool(Peer&, int connection)> before_reply;
    /// Called once logged in and after the first job.
    std::function<void(Peer&, int connection)> after_login;
    /// Called for each line from the miner, before it is dealt with; true: it is not.
    std::function<bool(Peer&, int connection, const nlohmann::json&)> intercept;
    std::size_t piece = 0;  ///< what is sent goes out in pieces of so many bytes; 0: as a whole
};

struct SeenShare {
    int connection = 0;
    nlohmann::json params;
    std::string verdict;  ///< "accepted", "duplicate", "low", "stale"
};

class FakePool {
public:
    explicit FakePool(FakePoolSetting setting, SSL_CTX* tls = nullptr);

    [[nodiscard]] std::string place() const { return server_.place(); }
    [[nodiscard]] std::uint16_t port() const { return server_.port(); }
    [[nodiscard]] int connections() const { return server_.connections(); }
    [[nodiscard]] std::vector<SeenShare> shares() const;
    [[nodiscard]] std::size_t count(const std::string& verdict) const;
    /// Lines of one method that came, over all connections.
    [[nodiscard]] std::vector<nlohmann::json> requests(const std::string& method) const;

    /// A job of its own for this connection; clean ends those before.
    void notify(Peer& peer, const std::string& id, bool clean);

private:
    void serve(Peer& peer, int number);
    bool handle(Peer& peer, int number, const nlohmann::json& message);
    nlohmann::json judge(int number, const nlohmann::json& params);
    void send(Peer& peer, const nlohmann::json& message) const;

    FakePoolSetting setting_;
    mutable std::mutex mutex_;
    std::vector<nlohmann::json> lines_;
    std::vector<SeenShare> shares_;
    std::set<std::string> known_;             // hashes
    std::map<int, std::string> extranonce1_;  // by connection
    std::map<std::string, nlohmann::json> jobs_;
    ScriptedServer server_;
};

}  // namespace gpuminer::test
