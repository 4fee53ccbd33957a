// The client for Stratum V1 pools: connecting, failing over, logging in, notifications to jobs, hits to shares.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/work_client.hpp"

namespace gpuminer::net {

/// Where a pool is, read from what the user wrote.
struct PoolUrl {
    std::string text;  ///< as the user wrote it
    std::string host;  ///< a name, an IPv4 address, or an IPv6 address without its brackets
    std::uint16_t port = 0;
    bool tls = false;
};
/// "stratum+tcp://", "stratum+ssl://" = "+tls" = "+tcps", or bare "host:port"; "[::1]:3333". Throws InputError.
[[nodiscard]] PoolUrl parse_pool_url(const std::string& text);

enum class ProxyKind { kSocks5, kHttp };
struct ProxyUrl {
    ProxyKind kind = ProxyKind::kSocks5;
    std::string host;
    std::uint16_t port = 0;
    std::string user, password;  ///< empty: none
};
/// "socks5://[user:pass@]host:port", "http://…"; without a scheme socks5. The proxy resolves names. Throws InputError.
[[nodiscard]] ProxyUrl parse_proxy_url(const std::string& text);

struct PoolLogin {
    PoolUrl url;
    std::string user;
    std::string password = "x";
};

struct TlsOptions {
    std::string ca_file;      ///< PEM: certificates to trust in place of the system's; empty: the system's
    std::string fingerprint;  ///< SHA-256 of the server's certificate, 64 lower-case hex digits; empty: not asked for
    bool insecure = false;    ///< no authority and no name is asked for; a fingerprint still counts
};

struct PoolOptions {
    std::vector<PoolLogin> pools;  ///< the first is used whenever it can be; at least one
    std::optional<ProxyUrl> proxy;
    TlsOptions tls;
    std::optional<unsigned> retries;           ///< attempts after one that failed, over all pools; empty: for ever
    double retry_pause = 5;                    ///< seconds before the second attempt; doubles up to a minute, jittered
    bool redirect = true;                      ///< follow client.reconnect
    std::optional<double> suggest_difficulty;  ///< empty: from the measured rate
    std::optional<std::uint64_t> shares;       ///< enough when so many are accepted
    std::optional<std::uint64_t> blocks;       ///< enough when so many accepted ones solved a block
    bool single_submit = false;                ///< one share in flight at a time
    std::filesystem::path journal;
    std::string agent;  ///< "gpuminer/0.1.0"
};

/// Starts at once, on a thread of its own. Throws InputError (journal, certificate file).
[[nodiscard]] std::unique_ptr<WorkClient> make_pool_client(const PoolOptions& options, WorkCallbacks callbacks);
struct PoolTiming;
/// With other time limits, for tests.
[[nodiscard]] std::unique_ptr<WorkClient> make_pool_client(const PoolOptions& options, WorkCallbacks callbacks,
                                                           const PoolTiming& timing);

}  // namespace gpuminer::net
