// The policy for client.reconnect: the places where a pool may send its miners.
#pragma once

#include <string>

#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

/// `from`, with the host (empty: the same) and port (0: the same) that the pool wants. Only within the same domain,
/// and TLS stays TLS: who can change a plain conversation on its way could otherwise take the miner away for good.
/// Stratum V2: anywhere with an authority key, else on the same host. Throws NetworkError: why the pool is not
/// followed.
[[nodiscard]] Endpoint redirected(const Endpoint& from, const std::string& host, std::uint16_t port);

/// The registrable domain of a host, lower case, by the Public Suffix List that libpsl was built with: "pool.example"
/// of "eu.stratum.pool.example", "pool.co.uk" of "eu.pool.co.uk", "pool.github.io" of "eu.pool.github.io". An address,
/// a name of one part and a public suffix are their own. Names outside of ASCII have to be in Punycode.
[[nodiscard]] std::string domain_of(const std::string& host);

}  // namespace gpuminer::net
