// Addresses alone: this system's program has no sockets yet.
#include <winsock2.h>

#include <ws2tcpip.h>  // after winsock2.h

#include "net/transport/sockets.hpp"

namespace gpuminer::net {
namespace {

template <typename Address>
std::string address_bytes(int family, const std::string& host) {
    Address address{};
    if (inet_pton(family, host.c_str(), &address) != 1) return "";
    return {reinterpret_cast<const char*>(&address), sizeof(address)};
}

}  // namespace

std::string ipv4_bytes(const std::string& host) { return address_bytes<in_addr>(AF_INET, host); }
std::string ipv6_bytes(const std::string& host) { return address_bytes<in6_addr>(AF_INET6, host); }

std::string resolver_ipv4_bytes(const std::string& host) {
    in_addr address{};
    address.s_addr = inet_addr(host.c_str());
    if (address.s_addr == INADDR_NONE) return ipv4_bytes(host);
    return {reinterpret_cast<const char*>(&address), sizeof(address)};
}

}  // namespace gpuminer::net
