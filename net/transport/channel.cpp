#include "net/transport/channel.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <netinet/tcp.h>

#include "host/abandoned_threads.hpp"
#include "host/errors.hpp"
#include "net/transport/tls.hpp"
#include "net/transport/url.hpp"

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

}  // namespace

Channel::Channel(EventLoop& loop, const Endpoint& url, const std::optional<ProxyUrl>& proxy, const TlsOptions& tls)
    : loop_(loop),
      url_(url),
      place_(host_and_port(url.host, url.port)),
      tls_options_(tls),
      hop_(place_),
      hop_host_(url.host),
      hop_port_(url.port),
      socket_(loop.context()),
      timer_(loop.context()) {
    if (proxy) {
        hop_ = fmt::format("the proxy {}", host_and_port(proxy->host, proxy->port));
        hop_host_ = proxy->host;
        hop_port_ = proxy->port;
        handshake_ = make_proxy_handshake(*proxy, url.host, url.port);
    }
    if (url.tls) {
        set_up_tls(tls_context_.native_handle(), tls_options_);
        tls_.emplace(socket_, tls_context_);
    }
}

void Channel::open(Opened opened, Failed failed) {
    opened_ = std::move(opened);
    failed_ = std::move(failed);
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

void Channel::close() {
    // The system's resolver cannot be stopped.
    if (opening() && resolving_) note_abandoned_thread();
    opened_ = nullptr;
    failed_ = nullptr;
    close_socket();
}

void Channel::fail(const std::string& sentence) {
    const auto failed = failed_;
    close();
    if (failed) failed(sentence);
}

void Channel::finish() {
    ++step_;
    timer_.cancel();
    failed_ = nullptr;
    const auto opened = std::exchange(opened_, nullptr);
    opened(std::exchange(received_, ""));
}

void Channel::close_socket() {
    ++step_;
    timer_.cancel();
    std::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
}

void Channel::limit_step(std::string sentence) {
    const auto generation = ++step_;
    timer_.expires_after(kStepLimit);
    timer_.async_wait([self = shared_from_this(), generation, sentence = std::move(sentence)](std::error_code error) {
        if (error || generation != self->step_ || !self->opening()) return;
        self->step_failed(sentence);
    });
}

// While addresses are left, a connection that cannot be made means to try the next one.
void Channel::step_failed(const std::string& sentence) {
    if (!connecting_) return fail(sentence);
    std::error_code ignored;
    socket_.close(ignored);  // its handler goes on, with this sentence
    timed_out_ = sentence;
}

void Channel::take_addresses(const Resolved& resolved) {
    resolving_ = false;
    if (!opening()) return;
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

void Channel::connect_next(const std::string& failure) {
    if (!opening()) return;
    if (next_address_ == addresses_.size()) return fail(failure);
    limit_step(fmt::format("{} cannot be reached: no answer within 10 seconds", hop_));
    std::error_code ignored;
    socket_.close(ignored);
    connecting_ = true;
    socket_.async_connect(addresses_[next_address_++],
                          [self = shared_from_this()](std::error_code error) { self->connected(error); });
}

void Channel::connected(std::error_code error) {
    connecting_ = false;
    if (!opening()) return;
    std::string sentence = std::exchange(timed_out_, "");
    if (error && sentence.empty()) sentence = fmt::format("{} cannot be reached: {}", hop_, error.message());
    if (!sentence.empty()) return connect_next(sentence);
    set_options(socket_);
    handshake_ ? talk_to_proxy() : after_proxy();
}

void Channel::talk_to_proxy() {
    limit_step(fmt::format("{} does not connect to {} within 10 seconds", hop_, place_));
    to_proxy_ = handshake_->greeting();
    write_to_proxy();
}

void Channel::write_to_proxy() {
    asio::async_write(socket_, asio::buffer(to_proxy_), [self = shared_from_this()](std::error_code error, auto) {
        if (!self->opening()) return;
        if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error.message()));
        self->read_from_proxy();
    });
}

void Channel::read_from_proxy() {
    socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](std::error_code error, auto size) {
        if (!self->opening()) return;
        if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error.message()));
        self->received_.append(self->buffer_.data(), size);
        self->hear_proxy();
    });
}

void Channel::hear_proxy() {
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

void Channel::after_proxy() {
    if (!tls_) return finish();
    // It came in clear text, from anybody on the way: after the handshake it would pass for the pool's own words.
    if (!received_.empty()) {
        return fail(fmt::format("{} cannot be reached: {} sent something before TLS had begun", place_, hop_));
    }
    if (!expect_server(tls_->native_handle(), url_.host, tls_options_)) {
        return fail(fmt::format("{} is a name that no certificate can be compared with", place_));
    }
    start_tls();
}

void Channel::start_tls() {
    limit_step(fmt::format("{} does not finish the TLS handshake within 10 seconds", place_));
    if (SSL_get_verify_mode(tls_->native_handle()) != SSL_VERIFY_NONE) {
        tls_->set_verify_callback([weak = weak_from_this()](bool preverified, asio::ssl::verify_context& verification) {
            const auto self = weak.lock();
            if (!preverified && self && self->distrust_.empty()) {
                self->distrust_ = verification_failure(verification.native_handle(), self->place_);
            }
            return preverified;
        });
    }
    tls_->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](std::error_code error) {
        if (self->opening()) self->end_handshake(error);
    });
}

void Channel::end_handshake(std::error_code error) {
    if (error) {
        if (!distrust_.empty()) return fail(distrust_);
        const bool from_openssl = error.category() == asio::error::get_ssl_category();
        return fail(
            handshake_failure(from_openssl ? static_cast<unsigned long>(error.value()) : 0, error.message(), place_));
    }
    if (const auto failure = fingerprint_failure(tls_->native_handle(), place_, tls_options_)) return fail(*failure);
    finish();
}

}  // namespace gpuminer::net
