#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <memory>

#include "net/transport/own_address.hpp"

namespace gpuminer::net {
namespace {

/// Empty: of another family.
std::string text_of(const sockaddr* address) {
    if (address == nullptr) return "";
    const void* bytes = nullptr;
    if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (bytes == nullptr || ::inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr) return "";
    return text.data();
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return {};
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, ::freeifaddrs);
    std::vector<InterfaceAddress> found;
    for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
        if ((each->ifa_flags & IFF_UP) == 0) continue;
        if (const std::string address = text_of(each->ifa_addr); !address.empty())
            found.push_back({each->ifa_name, address});
    }
    return found;
}

}  // namespace gpuminer::net
