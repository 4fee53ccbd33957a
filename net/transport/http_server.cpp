#include "net/transport/http_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <optional>
#include <system_error>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/token_bucket.hpp"
#include "net/transport/http_session.hpp"
#include "net/transport/sockets.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Local = asio::generic::stream_protocol;  // Asio's own for Unix sockets is not everywhere

constexpr std::chrono::milliseconds kTurnTick{20};
constexpr std::chrono::milliseconds kAcceptPause{200};  // where the system has no descriptor to spare

[[noreturn]] void fail(const std::string& option, const std::string& place, const boost::system::error_code& error) {
    throw InputError(fmt::format("{}: cannot listen on {}: {}", option, place, error_text(error)));
}

std::string local_address_of(const tcp::socket& socket) {
    boost::system::error_code error;
    const asio::ip::address address = socket.local_endpoint(error).address();
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    return without_zone(address.to_string());
}
std::string local_address_of(const Local::socket&) { return ""; }

}  // namespace

class HttpServer::Acceptor : public SessionOwner, public std::enable_shared_from_this<Acceptor> {
public:
    Acceptor(EventLoop& loop, Handler handler, const HttpServerLimits& limits)
        : loop_(loop),
          handler_(std::move(handler)),
          limits_(limits),
          turns_(limits.requests, limits.requests_per_second),
          pause_(loop),
          turn_(loop) {}

    /// The port.
    std::uint16_t listen(const ListenAddress& address, const std::string& option) {
        const tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
        const std::string place = host_and_port(address.host, address.port);
        boost::system::error_code error;
        tcp_.emplace(loop_.context());
        tcp_->open(endpoint.protocol(), error);
        if (!error) claim_address(static_cast<std::intptr_t>(tcp_->native_handle()));
        if (!error) tcp_->bind(endpoint, error);
        if (!error) tcp_->listen(asio::socket_base::max_listen_connections, error);
        if (error) fail(option, place, error);
        return tcp_->local_endpoint().port();
    }

    void listen_locally(const std::string& path, const std::string& option) {
        remove_stale_socket(path);
        boost::system::error_code error;
        local_.emplace(loop_.context());
        const std::string address = unix_address(path);
        const Local::endpoint endpoint(address.data(), address.size());
        local_->open(endpoint.protocol(), error);
        if (!error)
            error.assign(close_to_others(static_cast<std::intptr_t>(local_->native_handle())),
                         boost::system::system_category());
        if (!error) local_->bind(endpoint, error);
        if (!error) name_.emplace(path);
        if (!error) local_->listen(asio::socket_base::max_listen_connections, error);
        if (error) fail(option, quoted_text(path, 100), error);
    }

    void start() {
        if (tcp_) accept(*tcp_);
        if (local_) accept(*local_);
    }

    void close() {
        closed_ = true;
        boost::system::error_code ignored;
        if (tcp_) tcp_->close(ignored);
        if (name_) name_->remove();
        if (local_) local_->close(ignored);
        pause_.cancel();
        turn_.cancel();
        for (const auto& session : std::exchange(sessions_, {})) session->close();
    }

    void publish(const std::shared_ptr<const std::string>& text) {
        const auto sessions = sessions_;  // those that are too slow leave the list
        for (const auto& session : sessions) session->publish(text);
    }
    [[nodiscard]] std::size_t connections() const { return sessions_.size(); }

    [[nodiscard]] const HttpServerLimits& limits() const override { return limits_; }
    [[nodiscard]] ServerReply handle(const ServerRequest& request) override {
        ServerReply reply = handler_(request);
        const auto readers = std::ranges::count_if(sessions_, &HttpSession::reads_events);
        if (!reply.events || static_cast<std::size_t>(readers) < limits_.event_readers) return reply;
        return {.status = 503,
                .content_type = "text/plain; charset=utf-8",
                .body = std::make_shared<const std::string>("expected fewer readers of events at once\n")};
    }
    void wait_for_turn(const std::shared_ptr<HttpSession>& session) override {
        if (waiting_.empty() && turns_.take(steady_now())) return session->take_turn();
        waiting_.push_back(session);
        if (waiting_.size() == 1) give_turns_later();
    }
    void ended(const HttpSession& session) override {
        std::erase_if(sessions_, [&](const auto& any) { return any.get() == &session; });
    }

private:
    template <class Listener>
    void accept(Listener& listener) {
        listener.async_accept(
            [self = shared_from_this(), this, &listener](const boost::system::error_code& error, auto socket) {
                if (closed_) return;
                if (error)
                    return pause_.start(kAcceptPause, [weak = weak_from_this(), &listener] {
                        if (const auto acceptor = weak.lock()) acceptor->accept(listener);
                    });
                take(std::move(socket));
                accept(listener);
            });
    }

    template <class Socket>
    void take(Socket socket) {
        if constexpr (std::is_same_v<Socket, tcp::socket>) {
            boost::system::error_code ignored;
            socket.set_option(tcp::no_delay(true), ignored);
        }
        if (sessions_.size() >= limits_.connections) make_room();
        std::string local_address = local_address_of(socket);
        sessions_.push_back(std::make_shared<HttpSession>(loop_, HttpSession::Socket(std::move(socket)),
                                                          std::move(local_address), *this));
        const auto session = sessions_.back();
        session->start();
    }

    /// Ends the session in which nothing has happened for longest; readers of events are there to wait.
    void make_room() {
        std::shared_ptr<HttpSession> longest;
        for (const auto& session : sessions_) {
            if (session->reads_events()) continue;
            if (!longest || session->active_at() < longest->active_at()) longest = session;
        }
        if (longest) longest->close();
    }

    void give_turns_later() {
        turn_.start(kTurnTick, [weak = weak_from_this()] {
            if (const auto acceptor = weak.lock()) acceptor->give_turns();
        });
    }
    void give_turns() {
        while (!waiting_.empty() && (waiting_.front().expired() || turns_.take(steady_now()))) {
            const auto session = waiting_.front().lock();
            waiting_.pop_front();
            if (session) session->take_turn();
        }
        if (!waiting_.empty()) give_turns_later();
    }

    EventLoop& loop_;
    const Handler handler_;
    const HttpServerLimits limits_;
    TokenBucket turns_;
    Timer pause_;  // after an accept() that failed
    Timer turn_;
    std::deque<std::weak_ptr<HttpSession>> waiting_;  // for their turn
    std::optional<tcp::acceptor> tcp_;
    std::optional<asio::basic_socket_acceptor<Local>> local_;
    std::optional<SocketName> name_;  // of the Unix socket
    bool closed_ = false;
    std::vector<std::shared_ptr<HttpSession>> sessions_;
};

HttpServer::HttpServer(EventLoop& loop, const ListenAddress& address, const std::string& option, Handler handler,
                       const HttpServerLimits& limits)
    : acceptor_(std::make_shared<Acceptor>(loop, std::move(handler), limits)) {
    if (address.is_unix()) {
        acceptor_->listen_locally(address.path, option);
        place_ = address.path;
    } else {
        place_ = fmt::format("http://{}/", host_and_port(address.host, acceptor_->listen(address, option)));
    }
    loop.post([acceptor = acceptor_] { acceptor->start(); });
}

HttpServer::~HttpServer() { acceptor_->close(); }

void HttpServer::publish(const std::shared_ptr<const std::string>& text) { acceptor_->publish(text); }
std::size_t HttpServer::connections() const { return acceptor_->connections(); }

}  // namespace gpuminer::net
