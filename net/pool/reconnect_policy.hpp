// Where a pool may send its miners with client.reconnect.
#pragma once

#include <string>

#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

/// `from`, with the host (empty: the same) and port (0: the same) that the pool wants. Only within the same domain,
/// and TLS stays TLS: who can change a plain conversation on its way could otherwise take the miner away for good.
/// Throws NetworkError: why the pool is not followed.
[[nodiscard]] Endpoint redirected(const Endpoint& from, const std::string& host, std::uint16_t port);

/// The part of a name that one owner has, lower case: "pool.example" of "eu.stratum.pool.example", and as far as can
/// be told without a list "pool.co.uk" of "eu.pool.co.uk". An address or a name of one part is its own domain.
[[nodiscard]] std::string domain_of(const std::string& host);

}  // namespace gpuminer::net
