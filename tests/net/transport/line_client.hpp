// A client of a connection, by lines, on a thread of its own: for tests of the connection alone.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/transport/connection.hpp"
#include "tests/net/transport/scripted_server.hpp"

namespace gpuminer::test {

using namespace gpuminer::net;

/// A connection on a loop of its own; what happened to it, for the test's thread.
class LineClient {
    template <typename F>
    void set(F f) {
        const std::lock_guard lock(mutex_);
        f();
    }
    template <typename F>
    auto get(F f) {
        const std::lock_guard lock(mutex_);
        return f();
    }

public:
    explicit LineClient(const std::string& url, const TlsOptions& tls = {}, const std::string& proxy = "") {
        ConnectionEvents events;
        events.connected = [this] { set([this] { connected_ = true; }); };
        events.received = [this](std::string_view bytes) { set([&] { take(bytes); }); };
        events.closed = [this](const std::string& sentence) { set([&] { closed_ = sentence; }); };
        std::optional<ProxyUrl> proxy_url;
        if (!proxy.empty()) proxy_url = parse_proxy_url(proxy);
        connection_ = make_connection(loop_, parse_pool_url(url), proxy_url, tls, std::move(events));
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~LineClient() {
        loop_.stop();
        thread_.join();
    }
    void send(const std::string& line) {
        loop_.post([this, line] { connection_->send(line + "\n"); });
    }
    void close() {
        loop_.post([this] { connection_->close(); });
    }
    bool connected() {
        return eventually([this] { return get([this] { return connected_ || closed_.has_value(); }); }) &&
               get([this] { return connected_; });
    }
    std::string closed() {
        eventually([this] { return get([this] { return closed_.has_value(); }); });
        return get([this] { return closed_.value_or("(it is not)"); });
    }
    std::vector<std::string> lines(std::size_t count) {
        eventually([&] { return get([&] { return lines_.size() >= count || closed_.has_value(); }); });
        return get([this] { return lines_; });
    }

private:
    void take(std::string_view bytes) {
        received_ += bytes;
        for (std::size_t end = 0; (end = received_.find('\n')) != std::string::npos; received_.erase(0, end + 1))
            lines_.push_back(received_.substr(0, end));
    }

    std::mutex mutex_;
    std::string received_;
    bool connected_ = false;
    std::vector<std::string> lines_;
    std::optional<std::string> closed_;
    EventLoop loop_;
    std::unique_ptr<Connection> connection_;
    std::thread thread_;
};

/// A server that sends back each line.
inline void echo(Peer& peer, int) {
    while (const auto line = peer.read_line()) peer.send_line(*line);
}

}  // namespace gpuminer::test
