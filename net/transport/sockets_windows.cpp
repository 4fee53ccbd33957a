// Without Unix sockets, which Asio does not have here.
#include "net/transport/sockets.hpp"

#include <winsock2.h>

#include <mstcpip.h>  // these after winsock2.h
#include <ws2tcpip.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gpuminer::net {
namespace {

template <typename Address>
std::string address_bytes(int family, const std::string& host) {
    Address address{};
    if (inet_pton(family, host.c_str(), &address) != 1) return "";
    return {reinterpret_cast<const char*>(&address), sizeof(address)};
}

void set_option(std::intptr_t socket, int level, int option, int value) {
    (void)setsockopt(static_cast<SOCKET>(socket), level, option, reinterpret_cast<const char*>(&value), sizeof(value));
}

struct Reason {
    int error;
    const char* text;
};
/// The system's own texts are in its language.
constexpr Reason kReasons[] = {
    {WSAEACCES, "Permission denied"},
    {WSAEADDRINUSE, "Address already in use"},
    {WSAEADDRNOTAVAIL, "Cannot assign requested address"},
    {WSAEAFNOSUPPORT, "Address family not supported by protocol"},
    {WSAECONNABORTED, "Software caused connection abort"},
    {ERROR_CONNECTION_ABORTED, "Software caused connection abort"},
    {WSAECONNREFUSED, "Connection refused"},
    {ERROR_CONNECTION_REFUSED, "Connection refused"},
    {WSAECONNRESET, "Connection reset by peer"},
    {ERROR_NETNAME_DELETED, "Connection reset by peer"},
    {WSAEHOSTUNREACH, "No route to host"},
    {ERROR_HOST_UNREACHABLE, "No route to host"},
    {WSAEMFILE, "Too many open files"},
    {WSAENETDOWN, "Network is down"},
    {WSAENETUNREACH, "Network is unreachable"},
    {ERROR_NETWORK_UNREACHABLE, "Network is unreachable"},
    {WSAENOBUFS, "No buffer space available"},
    {WSAENOTCONN, "Transport endpoint is not connected"},
    {WSAESHUTDOWN, "Cannot send after transport endpoint shutdown"},
    {WSAETIMEDOUT, "Connection timed out"},
    {ERROR_SEM_TIMEOUT, "Connection timed out"},
    {ERROR_OPERATION_ABORTED, "Operation canceled"},
    {WSAHOST_NOT_FOUND, "Name or service not known"},
    {WSATRY_AGAIN, "Temporary failure in name resolution"},
    {WSANO_RECOVERY, "Non-recoverable failure in name resolution"},
    {WSANO_DATA, "No address associated with hostname"},
};

std::string reason_of(int error) {
    const auto* const known = std::ranges::find(kReasons, error, &Reason::error);
    return known != std::end(kReasons) ? known->text : fmt::format("Windows' error {}", error);
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

std::string error_text(const boost::system::error_code& error) {
    return error.category() == boost::system::system_category() ? reason_of(error.value()) : error.message();
}

std::string resolver_error_text(int error) { return reason_of(error); }

void send_keep_alives(std::intptr_t socket) {
    tcp_keepalive times{1, 60'000, 6'000};  // ms: after a minute of silence, then between each of ten
    DWORD ignored = 0;
    (void)WSAIoctl(static_cast<SOCKET>(socket), SIO_KEEPALIVE_VALS, &times, sizeof(times), nullptr, 0, &ignored,
                   nullptr, nullptr);
}

bool is_quiet(std::intptr_t socket) {
    WSAPOLLFD waiting{static_cast<SOCKET>(socket), POLLRDNORM, 0};
    return WSAPoll(&waiting, 1, 0) == 0;
}

// Connections that are only remembered (TIME_WAIT) do not count here, and with SO_REUSEADDR others could listen on the
// same address.
void claim_address(std::intptr_t socket) { set_option(socket, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1); }

std::size_t longest_socket_path() { return 0; }
std::string unix_address(const std::string& /*path*/) { return ""; }
int connect_to_unix(const std::string& /*path*/) { return -WSAEAFNOSUPPORT; }
int close_to_others(std::intptr_t /*socket*/) { return WSAEAFNOSUPPORT; }
void remove_stale_socket(const std::string& /*path*/) {}
SocketName::SocketName(std::string path) : path_(std::move(path)) {}
void SocketName::remove() const {}

}  // namespace gpuminer::net
