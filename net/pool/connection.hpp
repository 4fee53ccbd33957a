// One connection to one pool: the transport and the session on it, from connecting to the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "host/notices.hpp"
#include "net/pool/options.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/pool_session.hpp"
#include "net/transport/connection.hpp"
#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

/// A line for the user.
struct Message {
    Severity severity = Severity::kInfo;
    std::string text;
};
/// The connection is closed. The last event.
struct ConnectionEnded {
    enum class Cause {
        kFailed,        ///< it could not be made, broke, or is of no use
        kTurnedAway,    ///< the server took it, but closed it before it had taken the login
        kExtensions,    ///< the server takes the login with fewer extensions only
        kLoginRefused,  ///< the pool does not take the login
        kRedirected,    ///< the pool asked for another one (client.reconnect)
    };
    Cause cause = Cause::kFailed;
    std::string sentence;
};
using PoolEvent =
    std::variant<Subscribed, LoggedIn, NewJob, ShareReplied, ReconnectRequested, Message, ConnectionEnded>;
using PoolEvents = std::vector<PoolEvent>;

/// The bytes of its farewell, in one piece: at the end of the program nothing waits for a second one to be written.
[[nodiscard]] std::string farewell_of(PoolSession& session);

/// Lambdas as one visitor of an event.
template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

/// All of it on the loop's thread.
class PoolConnection {
public:
    /// Takes what came of one input (a message, a tick, the transport's end), in order, never from within a function of
    /// the connection that is called from outside. May destroy the connection.
    using Report = std::function<void(PoolConnection&, PoolEvents)>;

    /// Connects. Throws InputError as make_connection().
    PoolConnection(EventLoop& loop, const Endpoint& url, const PoolOptions& options, JobOrigin origin,
                   std::unique_ptr<PoolSession> session, const PoolTiming& timing, Report report);
    /// Where the connection is still there, the session takes its leave.
    ~PoolConnection();
    PoolConnection(const PoolConnection&) = delete;
    PoolConnection& operator=(const PoolConnection&) = delete;

    [[nodiscard]] std::size_t pool() const { return origin_.pool; }
    [[nodiscard]] std::uint64_t number() const { return origin_.connection; }
    [[nodiscard]] const Endpoint& url() const { return url_; }
    [[nodiscard]] const Subscription& subscription() const { return subscription_; }
    [[nodiscard]] std::optional<SteadyTime> logged_in_at() const { return logged_in_at_; }  ///< empty: it is not
    [[nodiscard]] const PoolSession& session() const { return *session_; }

    /// Sends the share where the session's assess() says kSend. Returns the request's id; empty: it is not sent.
    std::optional<std::uint64_t> submit(const StratumShare& share, bool again);
    /// `again`: also if it hardly differs from the last one.
    void set_suggested_difficulty(double difficulty, bool again = false);
    /// Of the session's jobs from now on; the current one becomes another.
    void set_rolling(VersionRolling rolling) { session_->set_rolling(rolling, steady_now()); }

private:
    /// The server has taken the connection.
    void accepted();
    void tick();
    void take(std::string_view bytes);
    /// How long the pool may be silent, and since when it is.
    [[nodiscard]] std::pair<SteadyTime, std::chrono::milliseconds> silence_limit() const;
    [[nodiscard]] std::string silence_text() const;
    void send(std::string bytes);
    /// Sends what is to be sent and reports the rest. The connection may be destroyed afterwards.
    void handle(StratumEvents events);
    void report(PoolEvents events);
    void end(ConnectionEnded::Cause cause, std::string sentence);

    const JobOrigin origin_;
    const Endpoint url_;
    const PoolTiming timing_;
    const Report report_;
    Subscription subscription_;
    std::optional<SteadyTime> logged_in_at_;
    std::optional<SteadyTime> accepted_at_;    // empty: it is not
    std::optional<SteadyTime> last_received_;  // empty: not connected yet, or in the TLS handshake
    std::optional<SteadyTime> first_sent_;     // since then; empty: nothing was
    bool heard_ = false;                       // a message
    bool silence_told_ = false;                // that there was none for a while
    unsigned operator_messages_ = 0;
    const std::unique_ptr<PoolSession> session_;
    std::string received_;  // bytes that are no whole message yet
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    Timer ticker_;
    std::unique_ptr<Connection> transport_;
};

}  // namespace gpuminer::net
