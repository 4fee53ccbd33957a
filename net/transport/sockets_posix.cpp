#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "net/transport/sockets.hpp"

namespace gpuminer::net {
namespace {

template <typename Address>
std::string bytes_of(const Address& address) {
    return {reinterpret_cast<const char*>(&address), sizeof(address)};
}

template <typename Address>
std::string address_bytes(int family, const std::string& host) {
    Address address{};
    return ::inet_pton(family, host.c_str(), &address) == 1 ? bytes_of(address) : "";
}

/// Zeros: there is no such file.
std::pair<std::uint64_t, std::uint64_t> file_of(const std::string& path) {
    struct stat status {};
    (void)::lstat(path.c_str(), &status);
    return {status.st_dev, status.st_ino};
}

void set_option(std::intptr_t socket, int level, int option, int value) {
    (void)::setsockopt(static_cast<int>(socket), level, option, &value, sizeof(value));
}

bool nobody_listens(const std::string& path) {
    const int socket = connect_to_unix(path);
    if (socket >= 0) ::close(socket);
    return socket == -ECONNREFUSED;
}

}  // namespace

int connect_to_unix(const std::string& path) {
    if (path.size() > longest_socket_path()) return -ENAMETOOLONG;
    const std::string to = unix_address(path);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) return -errno;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(to.data()), static_cast<socklen_t>(to.size())) == 0)
        return socket;
    const int error = errno;
    ::close(socket);
    return -error;
}

std::string ipv4_bytes(const std::string& host) { return address_bytes<in_addr>(AF_INET, host); }
std::string ipv6_bytes(const std::string& host) { return address_bytes<in6_addr>(AF_INET6, host); }

std::string resolver_ipv4_bytes(const std::string& host) {
    in_addr address{};
    return ::inet_aton(host.c_str(), &address) != 0 ? bytes_of(address) : "";
}

std::string error_text(const boost::system::error_code& error) { return error.message(); }

std::string resolver_error_text(int error) { return gai_strerror(error); }

void send_keep_alives(std::intptr_t socket) {
    const auto set = [socket](int level, int option, int value) { set_option(socket, level, option, value); };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

void claim_address(std::intptr_t socket) { set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1); }

bool is_quiet(std::intptr_t socket) {
    pollfd waiting{static_cast<int>(socket), POLLIN | POLLRDHUP, 0};
    return ::poll(&waiting, 1, 0) == 0;
}

std::size_t longest_socket_path() { return sizeof(sockaddr_un::sun_path) - 1; }

std::string unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    return bytes_of(address).substr(0, offsetof(sockaddr_un, sun_path)) + path;
}

// Before bind(), Linux gives the file this mode from its first moment on.
int close_to_others(std::intptr_t socket) {
    return ::fchmod(static_cast<int>(socket), S_IRUSR | S_IWUSR) == 0 ? 0 : errno;
}

void remove_stale_socket(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) && nobody_listens(path)) ::unlink(path.c_str());
}

SocketName::SocketName(std::string path) : path_(std::move(path)), file_(file_of(path_)) {}

void SocketName::remove() const {
    struct stat now {};
    if (::lstat(path_.c_str(), &now) == 0 && std::pair<std::uint64_t, std::uint64_t>(now.st_dev, now.st_ino) == file_)
        ::unlink(path_.c_str());
}

}  // namespace gpuminer::net
