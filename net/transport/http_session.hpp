// One connection of the HTTP server: requests, one after the other, and their replies.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it

#include <boost/asio/generic/stream_protocol.hpp>

#include "net/steady_time.hpp"
#include "net/transport/http_server.hpp"

namespace gpuminer::net {

class HttpSession;

/// What a session asks of its server.
class SessionOwner {
public:
    virtual ~SessionOwner() = default;
    SessionOwner() = default;
    SessionOwner(const SessionOwner&) = delete;
    SessionOwner& operator=(const SessionOwner&) = delete;

    [[nodiscard]] virtual const HttpServerLimits& limits() const = 0;
    [[nodiscard]] virtual ServerReply handle(const ServerRequest& request) = 0;
    /// Calls take_turn() of the session, at once or when those before it had theirs.
    virtual void wait_for_turn(const std::shared_ptr<HttpSession>& session) = 0;
    virtual void ended(const HttpSession& session) = 0;
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    /// `local_address`: as ServerRequest's. The owner is told when it ends, and outlives it until then.
    HttpSession(EventLoop& loop, Socket socket, std::string local_address, SessionOwner& owner);

    void start() { begin_request(); }
    /// Sends it, if it reads events.
    void publish(const std::shared_ptr<const std::string>& text);
    /// To answer the request that is complete.
    void take_turn();
    [[nodiscard]] bool reads_events() const { return events_; }
    /// When it was opened, had a request complete, or a reply taken: the latest.
    [[nodiscard]] SteadyTime active_at() const { return active_at_; }
    void close();

private:
    void begin_request();
    void read();
    void parse();
    void reply(const ServerReply& reply, bool head_only, bool keep_open);
    void write();
    void written();
    void watch_reader();
    void drain();

    SessionOwner& owner_;
    Socket socket_;
    Timer deadline_;
    const std::string local_address_;
    bool open_ = true;
    SteadyTime active_at_{};
    std::array<char, 4096> buffer_{};
    std::string received_;  // and not yet taken by the reader
    std::optional<RequestReader> reader_;
    ReadRequest request_;
    bool keep_open_ = false;   // after this reply
    bool events_ = false;      // the reply does not end
    std::size_t drained_ = 0;  // bytes
    std::deque<std::shared_ptr<const std::string>> unsent_;
    std::size_t unsent_bytes_ = 0;
    bool writing_ = false;
};

}  // namespace gpuminer::net
