#include "tests/net/transport/scripted_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <openssl/ssl.h>

namespace gpuminer::test {
namespace {

using Clock = std::chrono::steady_clock;

// `port`: 0 for any that is free; becomes the one it is.
int listen_on(std::uint16_t& port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const int on = 1;  // connections of a server that was here before may still be closing
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    socklen_t size = sizeof(address);
    if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 16) != 0 ||
        getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("no port to listen on");
    }
    port = ntohs(address.sin_port);
    return listener;
}

}  // namespace

Peer::Peer(int socket, SSL_CTX* tls, const std::atomic<bool>& stop) : socket_(socket), stop_(stop) {
    if (tls == nullptr) return;
    timeval limit{10, 0};  // a client that does not finish its handshake
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ssl_ = SSL_new(tls);
    SSL_set_fd(ssl_, socket_);
    broken_ = SSL_accept(ssl_) != 1;
}

Peer::~Peer() {
    SSL_free(ssl_);
    ::close(socket_);
}

bool Peer::wait(short events, double seconds) const {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!stop_ && Clock::now() < end) {
        pollfd poll_of{socket_, events, 0};
        if (poll(&poll_of, 1, 20) > 0) return true;
    }
    return false;
}

bool Peer::read_more(double seconds) {
    if (broken_) return false;
    if ((ssl_ == nullptr || SSL_pending(ssl_) == 0) && !wait(POLLIN, seconds)) return false;
    std::array<char, 4096> buffer{};
    const auto size = ssl_ != nullptr ? SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()))
                                      : static_cast<int>(recv(socket_, buffer.data(), buffer.size(), 0));
    if (size <= 0) {
        broken_ = true;
        return false;
    }
    received_.append(buffer.data(), static_cast<std::size_t>(size));
    return true;
}

std::optional<std::string> Peer::read_line(double seconds) {
    std::size_t end = 0;
    while ((end = received_.find('\n')) == std::string::npos) {
        if (!read_more(seconds)) return std::nullopt;
    }
    std::string line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return line;
}

std::string Peer::read_bytes(std::size_t count) {
    while (received_.size() < count && read_more(20)) {
    }
    std::string bytes = received_.substr(0, count);
    received_.erase(0, bytes.size());
    return bytes;
}

std::optional<char> Peer::next_byte(double seconds) {
    if (received_.empty() && !read_more(seconds)) return std::nullopt;
    return received_[0];
}

bool Peer::send(const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        if (broken_ || !wait(POLLOUT, 20)) return false;
        const auto size = ssl_ != nullptr ? SSL_write(ssl_, bytes.data() + done, static_cast<int>(bytes.size() - done))
                                          : static_cast<int>(::send(socket_, bytes.data() + done, bytes.size() - done,
                                                                    MSG_NOSIGNAL | MSG_DONTWAIT));
        if (size <= 0) {
            broken_ = true;
            return false;
        }
        done += static_cast<std::size_t>(size);
        sent_ += static_cast<std::size_t>(size);
    }
    return true;
}

void Peer::wait_for_close() {
    while (!stop_ && !broken_) {
        read_more(0.1);
        received_.clear();
    }
}

ScriptedServer::ScriptedServer(Script script, SSL_CTX* tls, std::uint16_t port)
    : script_(std::move(script)), tls_(tls), port_(port), listener_(listen_on(port_)) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that the client has closed
    acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
    stop_ = true;
    acceptor_.join();
    for (std::thread& peer : peers_) peer.join();
    ::close(listener_);
}

void ScriptedServer::accept_all() {
    while (!stop_) {
        pollfd poll_of{listener_, POLLIN, 0};
        if (poll(&poll_of, 1, 20) <= 0) continue;
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        const int number = ++connections_;
        peers_.emplace_back([this, socket, number] {
            Peer peer(socket, tls_, stop_);
            script_(peer, number);
        });
    }
}

std::uint16_t closed_port() {
    std::uint16_t port = 0;
    ::close(listen_on(port));
    return port;
}

bool eventually(const std::function<bool()>& condition) {
    const auto end = Clock::now() + std::chrono::seconds(std::getenv("GPUMINER_EMULATED") != nullptr ? 600 : 60);
    while (!condition()) {
        if (Clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

}  // namespace gpuminer::test
