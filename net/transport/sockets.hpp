// Sockets and their addresses where systems differ and Asio does not help.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace gpuminer::net {

// The bytes of an address, the most significant first; empty: it is a name, or an address of another form.
[[nodiscard]] std::string ipv4_bytes(const std::string& host);
[[nodiscard]] std::string ipv6_bytes(const std::string& host);
/// As the system's resolver reads IPv4 addresses: "192.0.2.7", but "1.2.7" and "0x7f.1", too.
[[nodiscard]] std::string resolver_ipv4_bytes(const std::string& host);

/// Why something failed, in the words of English systems: "Connection refused".
[[nodiscard]] std::string error_text(const boost::system::error_code& error);
/// Likewise of a getaddrinfo() that returned `error`.
[[nodiscard]] std::string resolver_error_text(int error);

// `socket`: Asio's native handle.

/// Has a server that is gone without closing the connection noticed after two minutes.
void send_keep_alives(std::intptr_t socket);
/// Nothing has come that is not read, no end either.
[[nodiscard]] bool is_quiet(std::intptr_t socket);
/// For a listener that is not bound yet: it may take an address of which the system still remembers connections, but
/// none that another program listens on.
void claim_address(std::intptr_t socket);

// Unix sockets.

/// Bytes. Zero: this system's program has none of them, and the functions below are not to be called.
[[nodiscard]] std::size_t longest_socket_path();
/// The bytes of the socket's address.
[[nodiscard]] std::string unix_address(const std::string& path);
/// A stream connected to the socket of that name; below zero: errno, negated.
[[nodiscard]] int connect_to_unix(const std::string& path);
/// For a socket that is not bound yet: the file will be its owner's alone. Zero, or errno.
[[nodiscard]] int close_to_others(std::intptr_t socket);
/// What a program that was killed left behind. A socket that somebody listens on stays, also where its owner accepts
/// nobody: nothing is waited for.
void remove_stale_socket(const std::string& path);

/// The name of a Unix socket in the file system. Somebody else's may stand there later.
class SocketName {
public:
    /// Of a socket that has just been bound to it.
    explicit SocketName(std::string path);
    /// Before the socket is closed, as another may get its inode afterwards.
    void remove() const;

private:
    std::string path_;
    std::pair<std::uint64_t, std::uint64_t> file_;  ///< device and inode; zeros: it is gone already
};

}  // namespace gpuminer::net
