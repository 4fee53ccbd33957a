// Endpoints of connections as users write them: a pool's URL, a proxy's URL, and which certificates to trust.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "net/noise/authority_key.hpp"

namespace gpuminer::net {

/// A server that speaks a protocol of its own over TCP or TLS.
struct Endpoint {
    std::string text;  ///< as the user wrote it, without the authority key
    std::string host;  ///< a name, an IPv4 address, or an IPv6 address without its brackets
    std::uint16_t port = 0;
    bool tls = false;
    bool stratum_v2 = false;                ///< else V1
    std::optional<AuthorityKey> authority;  ///< V2: signs the certificates of its servers; empty: the URL has none
};
/// "stratum+tcp://", "stratum+ssl://" = "+tls" = "+tcps" = "stratums://", or bare "host:port"; "[::1]:3333"; a fragment
/// "#xnsub" is passed over. Stratum V2: "stratum2+tcp://host:port/AUTHORITY_KEY". Throws InputError.
[[nodiscard]] Endpoint parse_pool_url(const std::string& text);
/// "stratum+tcp://host:port", "stratum+ssl://host:port" or "stratum2+tcp://host:port", whatever way it was written.
[[nodiscard]] std::string canonical_url(const Endpoint& pool);

enum class ProxyKind { kSocks5, kHttp };
struct ProxyUrl {
    ProxyKind kind = ProxyKind::kSocks5;
    std::string host;  ///< as Endpoint's
    std::uint16_t port = 0;
    std::string user, password;  ///< empty: none
};
/// "socks5://[user:pass@]host:port", "http://…"; without a scheme socks5. The proxy resolves names. Throws InputError.
[[nodiscard]] ProxyUrl parse_proxy_url(const std::string& text);

struct TlsOptions {
    std::string ca_file;      ///< the file that ca_pem is from; empty: the system's authorities are trusted
    std::string ca_pem;       ///< PEM: the certificates to trust in place of the system's (tls.hpp: read_ca_file())
    std::string fingerprint;  ///< SHA-256 of the server's certificate, 64 lower-case hex digits; empty: not asked for
    bool insecure = false;    ///< no authority and no name is asked for; a fingerprint still counts
};

}  // namespace gpuminer::net
