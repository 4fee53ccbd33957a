#include "net/transport/resolver.hpp"

#include <algorithm>

#include "net/transport/apart.hpp"
#include "net/transport/sockets.hpp"

namespace gpuminer::net {
namespace {

Resolved resolve_now(const std::string& host, std::uint16_t port) {
    constexpr std::size_t kMostAddresses = 8;
    addrinfo hints{};  // Asio's header has it from wherever the system does
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    Resolved resolved;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (error != 0) {
        resolved.failure = resolver_error_text(error);
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
