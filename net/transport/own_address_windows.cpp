#include "net/transport/own_address.hpp"

#include <winsock2.h>

#include <ws2tcpip.h>  // these after winsock2.h

#include <iphlpapi.h>

#include <array>
#include <cstddef>

#include "host/system/wide_text.hpp"

namespace gpuminer::net {
namespace {

/// Empty: of another family.
std::string text_of(const SOCKADDR* address) {
    if (address == nullptr) return "";
    const void* bytes = nullptr;
    if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (bytes == nullptr || inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr) return "";
    return text.data();
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
    constexpr ULONG kFlags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
    constexpr int kTries = 4;  // interfaces may come while they are counted
    std::vector<IP_ADAPTER_ADDRESSES> adapters(64);
    ULONG error = ERROR_BUFFER_OVERFLOW;
    for (int i = 0; i < kTries && error == ERROR_BUFFER_OVERFLOW; ++i) {
        auto size = static_cast<ULONG>(adapters.size() * sizeof(IP_ADAPTER_ADDRESSES));
        error = GetAdaptersAddresses(AF_UNSPEC, kFlags, nullptr, adapters.data(), &size);
        if (error == ERROR_BUFFER_OVERFLOW) adapters.resize(size / sizeof(IP_ADAPTER_ADDRESSES) + 1);
    }
    std::vector<InterfaceAddress> found;
    if (error != ERROR_SUCCESS) return found;
    for (const auto* adapter = adapters.data(); adapter != nullptr; adapter = adapter->Next) {
        if (adapter->OperStatus != IfOperStatusUp) continue;
        for (const auto* each = adapter->FirstUnicastAddress; each != nullptr; each = each->Next) {
            if (const std::string address = text_of(each->Address.lpSockaddr); !address.empty())
                found.push_back({utf8_of(adapter->FriendlyName), address});
        }
    }
    return found;
}

}  // namespace gpuminer::net
