// This machine's name, and its addresses under which others of its network may reach it.
#pragma once

#include <string>
#include <vector>

namespace gpuminer::net {

struct InterfaceAddress {
    std::string interface_name;  ///< "eth0"
    std::string address;         ///< without a zone
};
/// Of all interfaces that are up. Empty where the system does not tell.
[[nodiscard]] std::vector<InterfaceAddress> interface_addresses();

/// Of these, one for others to use: the first of `preferred` that serves, else an IPv4 address, else an IPv6 address.
/// Those of loopback, link-local ones, and those of bridges to containers and virtual machines serve nobody else.
/// Empty: there is none.
[[nodiscard]] std::string choose_address(const std::vector<std::string>& preferred,
                                         const std::vector<InterfaceAddress>& all);

/// For a server that listens on `host`, an address. "0.0.0.0" and "::" stand for all addresses: from the one that
/// packets to the Internet have as their source (none is sent), choose_address().
[[nodiscard]] std::string address_for_others(const std::string& host);
/// This machine's name; "this machine" where the system does not tell.
[[nodiscard]] std::string host_name();
/// Whether packets to this address never leave the machine, as it is one of the machine's own.
[[nodiscard]] bool is_own_address(const std::string& host);

}  // namespace gpuminer::net
