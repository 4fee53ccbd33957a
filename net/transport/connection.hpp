// Connection to a server as a stream of bytes: TCP, through a proxy where one is given, TLS where the URL asks for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/transport/endpoint.hpp"
#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

/// More bytes to be sent and not taken by the server end the connection.
inline constexpr std::size_t kMostQueued = std::size_t{1} << 20;

struct ConnectionEvents {
    std::function<void()> accepted;                  ///< the server has; the TLS handshake begins. Not without TLS
    std::function<void()> connected;                 ///< bytes may be sent
    std::function<void(std::string_view)> received;  ///< some came
    std::function<void(std::string)> closed;         ///< it could not be made or has ended; why, as one plain sentence
};

/// All of it on the loop's thread. Starts at once; an event comes later, never from within a call. None comes after
/// closed, after close(), or once the object is gone. The events may destroy the connection.
class Connection {
public:
    virtual ~Connection() = default;
    Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Queues bytes. Once connected only.
    virtual void send(std::string bytes) = 0;
    /// An orderly end: what was queued before may still be sent.
    virtual void close() = 0;
};

/// Resolving, connecting, the proxy's part and the TLS handshake have ten seconds each.
/// Throws InputError for a certificate file that cannot be used.
[[nodiscard]] std::unique_ptr<Connection> make_connection(EventLoop& loop, const Endpoint& url,
                                                          const std::optional<ProxyUrl>& proxy, const TlsOptions& tls,
                                                          ConnectionEvents events);

}  // namespace gpuminer::net
