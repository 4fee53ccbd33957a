// Sockets and their addresses where systems differ and Asio does not help.
#pragma once

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

// `socket`: Asio's native handle.

/// Has a server that is gone without closing the connection noticed after two minutes.
void send_keep_alives(int socket);
/// Nothing has come that is not read, no end either.
[[nodiscard]] bool is_quiet(int socket);

// Unix sockets.

/// Bytes.
[[nodiscard]] std::size_t longest_socket_path();
/// A stream connected to the socket of that name; below zero: errno, negated.
[[nodiscard]] int connect_to_unix(const std::string& path);
/// For a socket that is not bound yet: the file will be its owner's alone. Zero, or errno.
[[nodiscard]] int close_to_others(int socket);
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
