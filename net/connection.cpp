#include "net/connection.hpp"

#include <netinet/tcp.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <asio.hpp>
#include <asio/ssl.hpp>

#include "host/abandoned_threads.hpp"
#include "host/errors.hpp"
#include "net/proxy.hpp"
#include "net/resolver.hpp"
#include "net/tls.hpp"

namespace gpuminer::net {
namespace {

using asio::ip::tcp;
using std::chrono::seconds;

constexpr seconds kStepLimit{10};

// A server that is gone without a word is noticed after two minutes, and no share waits for others to fill a packet.
void set_options(tcp::socket& socket) {
    std::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    const auto set = [&](int option, int value) {
        setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof(value));
    };
    set(TCP_KEEPIDLE, 60);
    set(TCP_KEEPINTVL, 15);
    set(TCP_KEEPCNT, 4);
}

// Kept alive by its own handlers; detached from the outside by `events_` becoming null.
class LineSocket : public std::enable_shared_from_this<LineSocket> {
public:
    LineSocket(EventLoop& loop, const PoolUrl& url, const std::optional<ProxyUrl>& proxy, const TlsOptions& tls,
               ConnectionEvents events)
        : url_(url),
          place_(host_and_port(url.host, url.port)),
          tls_options_(tls),
          events_(std::make_shared<ConnectionEvents>(std::move(events))),
          loop_(loop),
          socket_(loop.context()),
          timer_(loop.context()) {
        if (proxy) {
            hop_ = fmt::format("the proxy {}", host_and_port(proxy->host, proxy->port));
            hop_host_ = proxy->host;
            hop_port_ = proxy->port;
            handshake_ = make_proxy_handshake(*proxy, url.host, url.port);
        } else {
            hop_ = place_;
            hop_host_ = url.host;
            hop_port_ = url.port;
        }
        if (url.tls) {
            set_up_tls(tls_context_.native_handle(), tls_options_);
            tls_.emplace(socket_, tls_context_);
        }
    }

    void start() {
        limit_step(fmt::format("{} cannot be reached: its name was not resolved within 10 seconds", hop_));
        std::error_code not_an_address;
        const auto address = asio::ip::make_address(hop_host_, not_an_address);
        if (!not_an_address) {
            asio::post(socket_.get_executor(), [self = shared_from_this(), address] {
                self->addresses_ = {tcp::endpoint(address, self->hop_port_)};
                self->connect_next("");
            });
            return;
        }
        resolving_ = true;
        resolve(loop_, hop_host_, hop_port_, [weak = weak_from_this()](const Resolved& resolved) {
            if (const auto self = weak.lock()) self->take_addresses(resolved);
        });
    }

    void send(std::string line) {
        if (!events_ || !open_) return;
        line += '\n';
        queued_ += line.size();
        queue_.push_back(std::move(line));
        if (queued_ > kLongestLine) {
            const auto self = shared_from_this();
            asio::post(socket_.get_executor(),
                       [self] { self->fail(fmt::format("{} no longer takes what is sent to it", self->place_)); });
        } else if (!writing_) {
            write_next();
        }
    }

    void close() {
        if (!std::exchange(events_, nullptr)) return;
        if (resolving_) note_abandoned_thread();
        if (!open_) return close_socket();
        // A second to send what is left.
        timer_.expires_after(seconds(1));
        timer_.async_wait([self = shared_from_this()](std::error_code error) {
            if (!error) self->close_socket();
        });
        if (!writing_) shut_down();
    }

private:
    void limit_step(std::string sentence) {
        const auto generation = ++step_;
        timer_.expires_after(kStepLimit);
        timer_.async_wait([self = shared_from_this(), generation, sentence = std::move(sentence)](std::error_code e) {
            if (e || generation != self->step_ || !self->events_) return;
            self->step_failed(sentence);
        });
    }
    void step_done() {
        ++step_;
        timer_.cancel();
    }

    // While addresses are left, a connection that cannot be made means to try the next one.
    void step_failed(const std::string& sentence) {
        if (connecting_) {
            std::error_code ignored;
            socket_.close(ignored);  // its handler goes on, with this sentence
            timed_out_ = sentence;
        } else {
            fail(sentence);
        }
    }

    void take_addresses(const Resolved& resolved) {
        resolving_ = false;
        if (!events_) return;
        if (!resolved.failure.empty()) return fail(fmt::format("{} cannot be reached: {}", hop_, resolved.failure));
        for (const SocketAddress& address : resolved.addresses) {
            tcp::endpoint endpoint;
            endpoint.resize(address.size);  // at most a sockaddr_storage, as its own
            std::copy_n(reinterpret_cast<const char*>(&address.storage), address.size,
                        reinterpret_cast<char*>(endpoint.data()));
            addresses_.push_back(endpoint);
        }
        connect_next("");
    }

    void connect_next(const std::string& failure) {
        if (!events_) return;
        if (next_address_ == addresses_.size()) return fail(failure);
        limit_step(fmt::format("{} cannot be reached: no answer within 10 seconds", hop_));
        std::error_code ignored;
        socket_.close(ignored);
        connecting_ = true;
        socket_.async_connect(addresses_[next_address_++], [self = shared_from_this()](std::error_code error) {
            self->connecting_ = false;
            if (!self->events_) return;
            std::string sentence = std::exchange(self->timed_out_, "");
            if (error || !sentence.empty()) {
                if (sentence.empty()) {
                    sentence = fmt::format("{} cannot be reached: {}", self->hop_, error.message());
                }
                return self->connect_next(sentence);
            }
            set_options(self->socket_);
            self->handshake_ ? self->talk_to_proxy() : self->after_proxy();
        });
    }

    void talk_to_proxy() {
        limit_step(fmt::format("{} does not connect to {} within 10 seconds", hop_, place_));
        to_proxy_ = handshake_->greeting();
        write_to_proxy();
    }
    void write_to_proxy() {
        asio::async_write(socket_, asio::buffer(to_proxy_), [self = shared_from_this()](std::error_code error, auto) {
            if (!self->events_) return;
            if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error.message()));
            self->read_from_proxy();
        });
    }
    void read_from_proxy() {
        socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](std::error_code error, auto size) {
            if (!self->events_) return;
            if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error.message()));
            self->received_.append(self->buffer_.data(), size);
            self->hear_proxy();
        });
    }
    void hear_proxy() {
        try {
            std::size_t before = 0;
            do {
                before = received_.size();
                to_proxy_ = handshake_->answer(received_);
            } while (to_proxy_.empty() && !handshake_->done() && received_.size() != before);
        } catch (const NetworkError& error) {
            return fail(fmt::format("{} cannot be reached through {}: {}", place_, hop_, error.what()));
        }
        if (!to_proxy_.empty()) return write_to_proxy();
        handshake_->done() ? after_proxy() : read_from_proxy();
    }

    void after_proxy() {
        if (!tls_) return begin();
        limit_step(fmt::format("{} does not finish the TLS handshake within 10 seconds", place_));
        expect_server(tls_->native_handle(), url_.host, tls_options_);
        if (SSL_get_verify_mode(tls_->native_handle()) != SSL_VERIFY_NONE) {
            tls_->set_verify_callback(
                [weak = weak_from_this()](bool preverified, asio::ssl::verify_context& verification) {
                    const auto self = weak.lock();
                    if (!preverified && self && self->distrust_.empty()) {
                        self->distrust_ = verification_failure(verification.native_handle(), self->place_);
                    }
                    return preverified;
                });
        }
        tls_->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](std::error_code error) {
            if (self->events_) self->end_handshake(error);
        });
    }
    void end_handshake(std::error_code error) {
        if (error) {
            if (!distrust_.empty()) return fail(distrust_);
            const bool from_openssl = error.category() == asio::error::get_ssl_category();
            return fail(handshake_failure(from_openssl ? static_cast<unsigned long>(error.value()) : 0, error.message(),
                                          place_));
        }
        if (const auto failure = fingerprint_failure(tls_->native_handle(), place_, tls_options_)) {
            return fail(*failure);
        }
        begin();
    }

    void begin() {
        step_done();
        open_ = true;
        const auto events = events_;
        events->connected();
        if (events_) take_received(0);
    }

    void read_next() {
        auto handler = [self = shared_from_this()](std::error_code error, std::size_t size) {
            if (!self->events_) return;
            if (error) return self->fail_reading(error);
            const std::size_t old = self->received_.size();
            self->received_.append(self->buffer_.data(), size);
            self->take_received(old);
        };
        if (tls_) {
            tls_->async_read_some(asio::buffer(buffer_), std::move(handler));
        } else {
            socket_.async_read_some(asio::buffer(buffer_), std::move(handler));
        }
    }
    void fail_reading(std::error_code error) {
        const bool ended = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
        fail(ended ? fmt::format("{} closed the connection", place_)
                   : fmt::format("the connection to {} broke: {}", place_, error.message()));
    }

    // `searched`: so many bytes at the front of received_ are known to hold no end of a line.
    void take_received(std::size_t searched) {
        std::size_t begin = 0;
        for (std::size_t end = received_.find('\n', searched); end != std::string::npos;
             end = received_.find('\n', begin)) {
            std::string_view line = std::string_view(received_).substr(begin, end - begin);
            begin = end + 1;
            if (line.size() > kLongestLine) return fail_long_line();
            if (line.ends_with('\r')) line.remove_suffix(1);
            const auto events = events_;
            events->line(line);
            if (!events_) return;
        }
        received_.erase(0, begin);
        if (received_.size() > kLongestLine) return fail_long_line();
        read_next();
    }
    void fail_long_line() { fail(fmt::format("{} sent a line of more than 1 MiB", place_)); }

    void write_next() {
        writing_ = true;
        auto handler = [self = shared_from_this()](std::error_code error, std::size_t) {
            self->writing_ = false;
            self->queued_ -= self->queue_.front().size();
            self->queue_.pop_front();
            if (error) {
                if (!self->events_) return self->close_socket();
                return self->fail(fmt::format("the connection to {} broke: {}", self->place_, error.message()));
            }
            if (!self->queue_.empty()) return self->write_next();
            if (!self->events_) self->shut_down();
        };
        if (tls_) {
            asio::async_write(*tls_, asio::buffer(queue_.front()), std::move(handler));
        } else {
            asio::async_write(socket_, asio::buffer(queue_.front()), std::move(handler));
        }
    }

    void fail(const std::string& sentence) {
        const auto events = std::exchange(events_, nullptr);
        close_socket();
        if (events) events->closed(sentence);
    }

    void shut_down() {
        if (!tls_) return close_socket();
        tls_->async_shutdown([self = shared_from_this()](std::error_code) { self->close_socket(); });
    }
    void close_socket() {
        step_done();
        open_ = false;
        std::error_code ignored;
        socket_.shutdown(tcp::socket::shutdown_both, ignored);
        socket_.close(ignored);
    }

    const PoolUrl url_;
    const std::string place_;  // "host:port"
    const TlsOptions tls_options_;
    std::string hop_;  // where the socket goes, for messages: the place or the proxy
    std::string hop_host_;
    std::uint16_t hop_port_ = 0;
    std::shared_ptr<ConnectionEvents> events_;  // null: nobody is interested any more
    EventLoop& loop_;

    tcp::socket socket_;
    asio::ssl::context tls_context_{asio::ssl::context::tls_client};
    std::optional<asio::ssl::stream<tcp::socket&>> tls_;
    std::string distrust_;  // why the certificate was not accepted
    asio::steady_timer timer_;
    std::uint64_t step_ = 0;  // whose time limit runs

    bool resolving_ = false;
    bool connecting_ = false;
    std::string timed_out_;
    std::vector<tcp::endpoint> addresses_;
    std::size_t next_address_ = 0;
    std::unique_ptr<ProxyHandshake> handshake_;
    std::string to_proxy_;

    bool open_ = false;
    bool writing_ = false;
    std::deque<std::string> queue_;
    std::size_t queued_ = 0;  // bytes
    std::array<char, 16'384> buffer_{};
    std::string received_;
};

class Handle : public Connection {
public:
    explicit Handle(std::shared_ptr<LineSocket> line) : line_(std::move(line)) { line_->start(); }
    ~Handle() override { line_->close(); }
    void send(std::string line) override { line_->send(std::move(line)); }
    void close() override { line_->close(); }

private:
    std::shared_ptr<LineSocket> line_;
};

}  // namespace

std::unique_ptr<Connection> make_connection(EventLoop& loop, const PoolUrl& url, const std::optional<ProxyUrl>& proxy,
                                            const TlsOptions& tls, ConnectionEvents events) {
    return std::make_unique<Handle>(std::make_shared<LineSocket>(loop, url, proxy, tls, std::move(events)));
}

}  // namespace gpuminer::net
