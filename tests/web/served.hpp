// An HTTP server on a thread of its own, and a client that reads and sends what a test wants.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "net/transport/http_server.hpp"
#include "tests/catch.hpp"
#include "tests/net/transport/scripted_server.hpp"

namespace gpuminer::test {

/// A server on a loop and a thread of its own. "/big": 1 MB; "/events": a reader of events; else the path itself.
class Server {
public:
    explicit Server(const std::string& address = "0", const net::HttpServerLimits& limits = {})
        : server_(
              loop_, net::parse_listen_address("--http", address), "--http",
              [this](const net::ServerRequest& request) { return answer(request); }, limits),
          thread_([this] { loop_.run(); }) {}
    ~Server() {
        loop_.stop();
        thread_.join();
    }
    [[nodiscard]] std::uint16_t port() const {
        const std::string place = server_.place();
        return static_cast<std::uint16_t>(std::stoi(place.substr(place.rfind(':') + 1)));
    }
    [[nodiscard]] const std::string& place() const { return server_.place(); }
    [[nodiscard]] std::size_t connections() {
        std::atomic<std::size_t> count{std::string::npos};
        loop_.post([&] { count = server_.connections(); });
        eventually([&] { return count != std::string::npos; });
        return count;
    }
    void publish(const std::string& text) {
        loop_.post([this, text = std::make_shared<const std::string>(text)] { server_.publish(text); });
    }
    std::atomic<int> requests{0};

private:
    net::ServerReply answer(const net::ServerRequest& request) {
        ++requests;
        if (request.path == "/events")
            return {.content_type = "text/event-stream",
                    .body = std::make_shared<const std::string>("begin\n"),
                    .events = true};
        if (request.path == "/big") return {.content_type = "text/plain", .body = big_};
        const std::string text = request.method + " " + request.path + " " + request.local_address + request.body;
        return {.content_type = "text/plain", .body = std::make_shared<const std::string>(text)};
    }

    const std::shared_ptr<const std::string> big_ = std::make_shared<const std::string>(1'000'000, 'x');
    net::EventLoop loop_;
    net::HttpServer server_;
    std::thread thread_;
};

/// A client with a blocking socket.
class Client {
public:
    explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    explicit Client(const sockaddr_in6& address) : socket_(::socket(AF_INET6, SOCK_STREAM, 0)) {
        REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(const std::string& text) const { (void)::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
    void get(const std::string& path) const { send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"); }
    /// Reads until `end` is there, or the server has closed the connection.
    std::string read_to(const std::string& end) {
        while (received_.find(end) == std::string::npos && read_more()) {
        }
        const std::size_t at = received_.find(end);
        const std::size_t size = at == std::string::npos ? received_.size() : at + end.size();
        std::string text = received_.substr(0, size);
        received_.erase(0, size);
        return text;
    }
    std::string read_all() { return read_to("\xff\xff never"); }
    [[nodiscard]] bool closed(std::chrono::milliseconds patience = std::chrono::seconds(20)) {
        while (wait(patience)) {
            if (!read_more()) return true;
        }
        return false;
    }

private:
    [[nodiscard]] bool wait(std::chrono::milliseconds patience) const {
        pollfd event{socket_, POLLIN, 0};
        return ::poll(&event, 1, static_cast<int>(patience.count())) == 1;
    }
    bool read_more() {
        char buffer[65536];
        if (!wait(std::chrono::seconds(20))) return false;
        const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
        if (size > 0) received_.append(buffer, static_cast<std::size_t>(size));
        return size > 0;
    }

    const int socket_;
    std::string received_;
};

}  // namespace gpuminer::test
