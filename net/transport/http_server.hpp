// HTTP/1.1 server (RFC 9112) for few readers who are not to be trusted: everything that a client can make it keep, or
// do, has a bound.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/transport/event_loop.hpp"
#include "net/transport/http_request.hpp"
#include "net/transport/listen_address.hpp"

namespace gpuminer::net {

struct HttpServerLimits {
    RequestLimits request;
    std::size_t connections = 256;    ///< one more takes the place of that in which nothing has happened for longest
    std::size_t event_readers = 128;  ///< of these; more are refused
    std::size_t event_bytes = 65536;  ///< that wait for a reader of events; with more it is disconnected
    double requests = 300;            ///< of all clients, at once; more wait for their turn
    double requests_per_second = 100;
    std::chrono::milliseconds patience{20'000};  ///< for a request to be complete, and for a reply to be taken
};

struct ServerReply {
    unsigned status = 200;
    std::string content_type;
    std::shared_ptr<const std::string> body;  ///< shared by all that are sent it; null: none
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// The reply does not end: what is published follows the body.
    bool events = false;
};

/// On the loop's thread, but for the constructor. The loop has to outlive it.
class HttpServer {
public:
    using Handler = std::function<ServerReply(const ServerRequest&)>;

    /// Listens from now on; answers once the loop runs. `option`: what messages call the address. Throws InputError
    /// where it cannot be listened on. A Unix socket is for this user alone.
    HttpServer(EventLoop& loop, const ListenAddress& address, const std::string& option, Handler handler,
               const HttpServerLimits& limits = {});
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// "http://127.0.0.1:8080/", or the path of the Unix socket. From any thread.
    [[nodiscard]] const std::string& place() const { return place_; }
    /// Sends it to all readers of events, as it is.
    void publish(const std::shared_ptr<const std::string>& text);
    [[nodiscard]] std::size_t connections() const;

private:
    class Acceptor;
    std::shared_ptr<Acceptor> acceptor_;
    std::string place_;
};

}  // namespace gpuminer::net
