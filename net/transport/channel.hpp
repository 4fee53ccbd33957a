// The way to a server for bytes: its name looked up, TCP, through a proxy where one is given, TLS where the URL wants
// it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio.hpp>
#include <asio/ssl.hpp>

#include "net/transport/endpoint.hpp"
#include "net/transport/event_loop.hpp"
#include "net/transport/proxy.hpp"
#include "net/transport/resolver.hpp"

namespace gpuminer::net {

/// On the loop's thread. Kept alive by its own handlers while it opens; whoever reads or writes keeps it alive then.
class Channel : public std::enable_shared_from_this<Channel> {
public:
    /// Throws InputError for a certificate file that cannot be used, NetworkError for a name too long for the proxy.
    Channel(EventLoop& loop, const Endpoint& url, const std::optional<ProxyUrl>& proxy, const TlsOptions& tls);

    /// `early`: what the server has sent already.
    using Opened = std::function<void(std::string early)>;
    using Failed = std::function<void(const std::string& sentence)>;
    /// Once. Calls one of the two, once and later, unless close() comes first.
    void open(Opened opened, Failed failed);
    void close();

    [[nodiscard]] const std::string& place() const { return place_; }  ///< "host:port"

    // Once it is open; handlers as Asio's.
    template <typename Handler>
    void read_some(const asio::mutable_buffer& buffer, Handler&& handler) {
        if (tls_) {
            tls_->async_read_some(buffer, std::forward<Handler>(handler));
        } else {
            socket_.async_read_some(buffer, std::forward<Handler>(handler));
        }
    }
    template <typename Handler>
    void write(const asio::const_buffer& buffer, Handler&& handler) {
        if (tls_) {
            asio::async_write(*tls_, buffer, std::forward<Handler>(handler));
        } else {
            asio::async_write(socket_, buffer, std::forward<Handler>(handler));
        }
    }
    /// Says farewell where the protocol has one, then calls `done`.
    template <typename Done>
    void shut_down(Done done) {
        if (!tls_) return done();
        tls_->async_shutdown([done = std::move(done)](std::error_code) { done(); });
    }

private:
    [[nodiscard]] bool opening() const { return failed_ != nullptr; }
    void limit_step(std::string sentence);
    void step_failed(const std::string& sentence);
    void take_addresses(const Resolved& resolved);
    void connect_next(const std::string& failure);
    void connected(std::error_code error);
    void talk_to_proxy();
    void write_to_proxy();
    void read_from_proxy();
    void hear_proxy();
    void after_proxy();
    void start_tls();
    void end_handshake(std::error_code error);
    void finish();
    void fail(const std::string& sentence);
    void close_socket();

    EventLoop& loop_;
    const Endpoint url_;
    const std::string place_;
    const TlsOptions tls_options_;
    std::string hop_;  // where the socket goes, for messages: the place or the proxy
    std::string hop_host_;
    std::uint16_t hop_port_ = 0;
    Opened opened_;
    Failed failed_;  // empty: nobody waits any more

    asio::ip::tcp::socket socket_;
    asio::ssl::context tls_context_{asio::ssl::context::tls_client};
    std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
    std::string distrust_;  // why the certificate was not accepted
    asio::steady_timer timer_;
    std::uint64_t step_ = 0;  // whose time limit runs

    bool resolving_ = false;
    bool connecting_ = false;
    std::string timed_out_;
    std::vector<asio::ip::tcp::endpoint> addresses_;
    std::size_t next_address_ = 0;
    std::unique_ptr<ProxyHandshake> handshake_;
    std::string to_proxy_;
    std::array<char, 4096> buffer_{};
    std::string received_;
};

}  // namespace gpuminer::net
