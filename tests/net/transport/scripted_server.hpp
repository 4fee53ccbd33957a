// Scripted server on a port of this machine: each connection runs a function of the test on a thread of its own, with
// lines and bytes in and out, over TCP or TLS.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <openssl/types.h>

#include "tests/net/eventually.hpp"

namespace gpuminer::test {

/// The other end of a client's connection.
class Peer {
public:
    Peer(int socket, SSL_CTX* tls, const std::atomic<bool>& stop);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Without its newline; empty when the client has closed, the server stops or `seconds` are over.
    std::optional<std::string> read_line(double seconds = 600);
    /// Exactly so many bytes; fewer when the client has closed.
    std::string read_bytes(std::size_t count);
    /// The next byte, which stays to be read; empty as read_line()'s.
    std::optional<char> next_byte(double seconds = 600);
    /// False: the client has closed.
    bool send(const std::string& bytes);
    bool send_line(const std::string& line) { return send(line + "\n"); }
    /// Waits until the client closes; what it still sends is dropped.
    void wait_for_close();
    /// Bytes that the client took from send().
    [[nodiscard]] std::size_t sent() const { return sent_; }
    [[nodiscard]] int socket() const { return socket_; }

private:
    bool wait(short events, double seconds) const;
    bool read_more(double seconds);

    int socket_;
    SSL* ssl_ = nullptr;
    bool broken_ = false;
    const std::atomic<bool>& stop_;
    std::string received_;
    std::size_t sent_ = 0;
};

class ScriptedServer {
public:
    /// `number`: of the connection, from 1. `tls`: a server's context, or null; the test owns it. `port`: 0 for any
    /// that is free.
    using Script = std::function<void(Peer& peer, int number)>;
    explicit ScriptedServer(Script script, SSL_CTX* tls = nullptr, std::uint16_t port = 0);
    ~ScriptedServer();  ///< ends all connections
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string place() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] int connections() const { return connections_; }

private:
    void accept_all();

    Script script_;
    SSL_CTX* tls_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    std::atomic<bool> stop_ = false;
    std::atomic<int> connections_ = 0;
    std::vector<std::thread> peers_;
    std::thread acceptor_;
};

/// A port of this machine that nobody listens on.
[[nodiscard]] std::uint16_t closed_port();
[[nodiscard]] inline std::string closed_place() { return "127.0.0.1:" + std::to_string(closed_port()); }

}  // namespace gpuminer::test
