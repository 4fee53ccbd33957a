// The facts that a pool's server states before any work, for `gpuminer pool --probe`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "host/block/header.hpp"
#include "net/noise/certificate.hpp"
#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

struct PoolProbe {
    Endpoint url;
    const Algorithm* algorithm = &kSha256d;  ///< says which dialect of V1 the server speaks
    std::string user, password;              ///< no user: there is no login
    std::optional<double> advertised_rate;   ///< as PoolOptions has it; empty: none is known
    std::optional<ProxyUrl> proxy;
    TlsOptions tls;
    std::string agent;
    std::chrono::milliseconds limit{10'000};  ///< of the whole
};

struct PoolFacts {
    double latency_ms = 0;                        ///< from the first bytes sent to the first reply
    std::uint32_t version_bits = 0;               ///< that miners may roll; 0: none
    std::optional<unsigned> extranonce1;          ///< bytes that the pool chooses. V2: known after a login
    std::optional<unsigned> extranonce2;          ///< bytes that the miner chooses. V2: likewise
    std::optional<NoiseCertificate> certificate;  ///< V2
    std::optional<double> difficulty;             ///< of the first job; empty: no login, or none has come in time
};

/// Connects, and takes what the server says. On the calling thread. Throws NetworkError (no server, no reply, a login
/// that is refused), InputError (a certificate file).
[[nodiscard]] PoolFacts probe_pool(PoolProbe probe);

}  // namespace gpuminer::net
