// A byte stream to a server: name look-up, TCP or a Unix socket, a proxy's handshake where one is given, TLS where it
// is asked for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/transport/endpoint.hpp"
#include "net/transport/event_loop.hpp"
#include "net/transport/tls.hpp"

namespace gpuminer::net {

struct ChannelOptions {
    std::string host;  ///< a name, an IPv4 address, or an IPv6 address without its brackets
    std::uint16_t port = 0;
    std::string unix_path;  ///< of a Unix socket, in place of host, port and proxy; empty: none
    std::optional<ProxyUrl> proxy;
    std::shared_ptr<const TlsContext> tls;  ///< null: plain TCP
    /// Of the name look-up, of connecting to each address, of the proxy's part and of the TLS handshake.
    std::chrono::seconds step_limit{10};
};

enum class ChannelFailure {
    kName,         ///< the host's name has no address, or was not resolved in time
    kConnect,      ///< no TCP connection
    kProxy,        ///< the proxy refuses, or breaks off
    kHandshake,    ///< TLS: no handshake
    kCertificate,  ///< TLS: the server's certificate is not one to trust
};

/// How a read or a write ended.
struct Transfer {
    std::size_t size = 0;  ///< bytes
    bool closed = false;   ///< the server has closed the connection
    std::string error;     ///< why it failed, then, too; empty: it did not
};

/// All of it on the loop's thread; functions call handlers after they have returned. Its own handlers keep it alive
/// while it opens, reads, writes or shuts down. The loop has to outlive it.
class Channel {
public:
    virtual ~Channel() = default;
    Channel() = default;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// `early`: what the server has sent already.
    using Opened = std::function<void(std::string early)>;
    using Failed = std::function<void(ChannelFailure why, const std::string& sentence)>;
    /// To be called once. Calls one of the two, once, unless close() comes first. `accepted`, which may be null, is
    /// called before the TLS handshake, where there is one.
    virtual void open(Opened opened, Failed failed, std::function<void()> accepted) = 0;
    /// At any time, and as often as wanted. What is read or written then ends with an error.
    virtual void close() = 0;

    using Done = std::function<void(const Transfer&)>;
    // Once it is open; one read and one write at a time. The memory has to stay until `done` is called.
    virtual void read(std::span<char> buffer, Done done) = 0;
    virtual void write(std::string_view bytes, Done done) = 0;
    /// Sends TLS's close_notify (RFC 8446, section 6.1), then calls `done`; without TLS it does so before it returns.
    virtual void shut_down(std::function<void()> done) = 0;
    /// Open, and nothing has come that was not read: neither bytes nor the connection's end.
    [[nodiscard]] virtual bool quiet() = 0;
};

/// Throws NetworkError for a name that is too long for the proxy.
[[nodiscard]] std::shared_ptr<Channel> make_channel(EventLoop& loop, const ChannelOptions& options);

}  // namespace gpuminer::net
