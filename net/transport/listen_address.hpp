// Addresses to listen on, as users write them.
#pragma once

#include <cstdint>
#include <string>

namespace gpuminer::net {

struct ListenAddress {
    std::string host = {};   ///< an IPv4 address, or an IPv6 address without its brackets; empty: a Unix socket
    std::uint16_t port = 0;  ///< 0: any that is free
    std::string path = {};   ///< of the Unix socket

    [[nodiscard]] bool is_unix() const { return host.empty(); }
    /// Nobody but this machine's users can reach it.
    [[nodiscard]] bool is_local() const;
};

/// "8080" (127.0.0.1), "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "0.0.0.0:8080", "unix:/run/user/1000/g.sock".
/// `option`: what messages call it. Throws InputError; other names than localhost are none to listen on.
[[nodiscard]] ListenAddress parse_listen_address(const std::string& option, const std::string& text);

/// A name or an address of this machine as a Host may have it: "miner.example", "10.0.0.7", and of "fd00::7",
/// "[fd00::7]" and "fe80::1%eth0" the address alone. `option`: what messages call it. Throws InputError, also where
/// there is a port.
[[nodiscard]] std::string parse_host_name(const std::string& option, const std::string& text);

/// "fe80::1%eth0" → "fe80::1": the zone is this machine's own (RFC 6874, section 1), and in no Host.
[[nodiscard]] std::string without_zone(const std::string& address);

}  // namespace gpuminer::net
