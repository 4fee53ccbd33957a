// One connection to one pool: the socket and the Stratum session on it, from connecting to the end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/pool/timing.hpp"
#include "net/stratum/session.hpp"
#include "net/transport/connection.hpp"

namespace gpuminer::net {

class PoolConnection;

/// Whoever keeps sessions. Called on the loop's thread; only ended() may destroy the session.
class PoolConnectionOwner {
public:
    virtual ~PoolConnectionOwner() = default;
    PoolConnectionOwner() = default;
    PoolConnectionOwner(const PoolConnectionOwner&) = delete;
    PoolConnectionOwner& operator=(const PoolConnectionOwner&) = delete;

    virtual void subscribed(PoolConnection& session, const Subscription& subscription) = 0;
    virtual void logged_in(PoolConnection& session) = 0;
    virtual void new_job(PoolConnection& session, std::shared_ptr<const StratumJob> job) = 0;
    virtual void answered(PoolConnection& session, std::uint64_t request, const ShareReply& answer) = 0;
    /// client.reconnect. True: the session is to end (and ended() comes).
    virtual bool reconnect(PoolConnection& session, const std::string& host, std::uint16_t port,
                           std::chrono::seconds wait) = 0;
    virtual void say(Severity severity, const std::string& sentence) = 0;
    /// Once, as the last call. `refused`: the pool does not take the login.
    virtual void ended(PoolConnection& session, bool refused, const std::string& sentence) = 0;
};

class PoolConnection : private StratumHandler {
public:
    /// Connects. `pool`: its index, `number`: of this connection, both for the owner. Throws InputError as
    /// make_connection().
    PoolConnection(EventLoop& loop, PoolConnectionOwner& owner, std::size_t pool, std::uint64_t number,
                   const Endpoint& url, const PoolOptions& options, StratumOptions stratum, const PoolTiming& timing);
    ~PoolConnection() override;

    [[nodiscard]] std::size_t pool() const { return pool_; }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] const Endpoint& url() const { return url_; }
    [[nodiscard]] const Subscription& subscription() const { return subscription_; }
    [[nodiscard]] SteadyTime logged_in_at() const { return logged_in_at_; }  ///< epoch: it is not
    /// The server took the connection, but hung up before it had taken the login.
    [[nodiscard]] bool turned_away() const {
        return hung_up_ && last_received_ != SteadyTime{} && logged_in_at_ == SteadyTime{};
    }
    /// The connection is of no use; ended() comes.
    void give_up(const std::string& sentence);
    [[nodiscard]] StratumSession& stratum() { return stratum_; }

private:
    void send(std::string line) override;
    void subscribed(const Subscription& subscription) override;
    void logged_in() override;
    void refused(std::string sentence) override;
    void job(std::shared_ptr<const StratumJob> job) override;
    void difficulty(double difficulty) override;
    void share_answered(std::uint64_t id, const ShareReply& answer) override;
    void reconnect(std::string host, std::uint16_t port, std::chrono::seconds wait) override;
    void show_message(std::string text) override;
    void warning(std::string sentence) override;
    void protocol_error(std::string sentence) override;

    void tick();
    /// How long the pool may be silent, and since when it is.
    [[nodiscard]] std::pair<SteadyTime, std::chrono::milliseconds> patience() const;
    /// Tells the owner, later: the session's own functions may be at work.
    void end(bool refused, const std::string& sentence);

    EventLoop& loop_;
    PoolConnectionOwner& owner_;
    std::size_t pool_;
    std::uint64_t number_;
    Endpoint url_;
    PoolTiming timing_;
    Subscription subscription_;
    SteadyTime logged_in_at_{};
    SteadyTime last_received_{};
    SteadyTime first_sent_{};  // since then; epoch: nothing was
    bool ending_ = false;
    bool hung_up_ = false;   // the server, or the network
    unsigned messages_ = 0;  // of the pool's operator, shown
    StratumSession stratum_;
    Timer ticker_;
    Timer ender_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace gpuminer::net
