// Handshakes with proxies: SOCKS5 (RFC 1928, 1929) and HTTP CONNECT (RFC 9110). Bytes in, bytes out; the owner of the
// socket carries them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

class ProxyHandshake {
public:
    virtual ~ProxyHandshake() = default;
    ProxyHandshake() = default;
    ProxyHandshake(const ProxyHandshake&) = delete;
    ProxyHandshake& operator=(const ProxyHandshake&) = delete;

    /// What is to be sent first.
    [[nodiscard]] virtual std::string greeting() = 0;
    /// Takes from the front of `received` what is complete, and returns what is to be sent next (often nothing). What
    /// is left in `received` once done() comes from the server behind. Throws NetworkError with the proxy's reason.
    [[nodiscard]] virtual std::string answer(std::string& received) = 0;
    /// The way to the server is open.
    [[nodiscard]] virtual bool done() const = 0;
};

/// `host`: a name (for the proxy to resolve) or an address. Throws NetworkError for a name too long for the protocol.
[[nodiscard]] std::unique_ptr<ProxyHandshake> make_proxy_handshake(const ProxyUrl& proxy, const std::string& host,
                                                                   std::uint16_t port);

}  // namespace gpuminer::net
