// HTTP/1.1 client (RFC 9112): requests, one at a time, over a connection that stays open between them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/transport/channel.hpp"
#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

enum class HttpFailure {
    kName,         ///< as ChannelFailure's
    kConnect,      ///< no TCP connection; or none within the request's time limit
    kHandshake,    ///< TLS: no handshake
    kCertificate,  ///< TLS: the server's certificate is not one to trust
    kTimeout,      ///< connected, but no complete reply within the request's time limit
    kBroken,       ///< the connection broke before the reply was complete
    kMalformed,    ///< the reply is not HTTP
    kTooLong,      ///< the reply's body is longer than the request allows
};

struct HttpOptions {
    ChannelOptions channel;
    /// Called where the server has taken the connection and sent nothing of its reply for so long.
    std::function<void()> silent;  ///< null: nobody wants to know
    std::chrono::milliseconds silence{};
};

struct HttpRequest {
    std::string method = "POST";
    std::string target = "/";   ///< printable ASCII without spaces
    std::string authorization;  ///< the header's value; empty: none
    std::string content_type;
    std::string body;
    std::size_t longest_reply = std::size_t{1} << 20;  ///< bytes of its body
};

struct HttpResult {
    int status = 0;  ///< 0: it failed
    std::string body;
    HttpFailure failure{};  ///< where it failed
    std::string sentence;   ///< where it failed: why, of the place "host:port"
};

/// On the loop's thread. The loop has to outlive it.
class HttpClient {
public:
    HttpClient(EventLoop& loop, HttpOptions options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    using Done = std::function<void(HttpResult)>;
    /// One at a time. Calls `done` once, later, unless cancel() comes first. `time_limit`: of all of it. Where the
    /// server closes a connection that was used before without having sent any of the reply, it is sent once more.
    void send(const HttpRequest& request, std::chrono::milliseconds time_limit, Done done);
    /// Drops the request in flight and its connection.
    void cancel();

private:
    class Exchange;
    std::shared_ptr<Exchange> exchange_;
};

}  // namespace gpuminer::net
