#include "net/transport/resolver.hpp"

#include <winsock2.h>

#include <ws2tcpip.h>  // after winsock2.h

#include <algorithm>

#include <fmt/format.h>

#include "net/transport/apart.hpp"

namespace gpuminer::net {
namespace {

/// The system's own texts are in its language.
std::string reason_of(int error) {
    switch (error) {
        case WSAHOST_NOT_FOUND: return "Name or service not known";
        case WSATRY_AGAIN: return "Temporary failure in name resolution";
        case WSANO_RECOVERY: return "Non-recoverable failure in name resolution";
        case WSANO_DATA: return "No address associated with hostname";
        default: return fmt::format("Windows' error {}", error);
    }
}

Resolved resolve_now(const std::string& host, std::uint16_t port) {
    constexpr std::size_t kMostAddresses = 8;
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    Resolved resolved;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (error != 0) {
        resolved.failure = reason_of(error);
        return resolved;
    }
    for (const addrinfo* a = list; a != nullptr && resolved.addresses.size() < kMostAddresses; a = a->ai_next) {
        boost::asio::ip::tcp::endpoint address;
        if (a->ai_addrlen > address.capacity()) continue;
        address.resize(a->ai_addrlen);
        std::copy_n(reinterpret_cast<const char*>(a->ai_addr), a->ai_addrlen, reinterpret_cast<char*>(address.data()));
        resolved.addresses.push_back(address);
    }
    freeaddrinfo(list);
    if (resolved.addresses.empty()) resolved.failure = "its name has no address";
    return resolved;
}

}  // namespace

void resolve(const EventLoop& loop, const std::string& host, std::uint16_t port,
             const std::function<void(Resolved)>& done) {
    call_apart<Resolved>(
        loop, [host, port] { return resolve_now(host, port); }, done);
}

}  // namespace gpuminer::net
