// Opening a channel: name look-up, TCP, the proxy's handshake.
#include <utility>

#include <fmt/format.h>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "host/abandonable_thread.hpp"
#include "host/errors.hpp"
#include "net/transport/socket_channel.hpp"
#include "net/transport/sockets.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

void set_options(tcp::socket& socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);  // what is sent does not wait for more to fill a packet
    send_keep_alives(socket.native_handle());
}

}  // namespace

SocketChannel::SocketChannel(EventLoop& loop, const ChannelOptions& options)
    : loop_(loop),
      options_(options),
      place_(host_and_port(options.host, options.port)),
      hop_(place_),
      hop_host_(options.host),
      hop_port_(options.port),
      socket_(loop.context()),
      timer_(loop.context()) {
    if (const auto& proxy = options.proxy) {
        hop_ = fmt::format("the proxy {}", host_and_port(proxy->host, proxy->port));
        hop_host_ = proxy->host;
        hop_port_ = proxy->port;
        handshake_ = make_proxy_handshake(*proxy, options.host, options.port);
    }
    if (options.tls) prepare_tls();
}

void SocketChannel::open(Opened opened, Failed failed, std::function<void()> accepted) {
    opened_ = std::move(opened);
    failed_ = std::move(failed);
    accepted_ = std::move(accepted);
    begin_step(Step::kName, fmt::format("{} cannot be reached: its name was not resolved", hop_));
    error_code not_an_address;
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

void SocketChannel::close() {
    // The system's resolver cannot be stopped.
    if (opening() && resolving_) note_abandoned_thread();
    opened_ = nullptr;
    failed_ = nullptr;
    accepted_ = nullptr;
    close_socket();
}

void SocketChannel::fail(ChannelFailure why, const std::string& sentence) {
    const auto failed = failed_;
    close();
    if (failed) failed(why, sentence);
}

void SocketChannel::finish() {
    ++step_number_;
    timer_.cancel();
    failed_ = nullptr;
    accepted_ = nullptr;
    const auto opened = std::exchange(opened_, nullptr);
    opened(std::exchange(received_, ""));
}

void SocketChannel::close_socket() {
    ++step_number_;
    timer_.cancel();
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
}

void SocketChannel::begin_step(Step step, const std::string& what_is_late) {
    step_ = step;
    const auto number = ++step_number_;
    timer_.expires_after(options_.step_limit);
    timer_.async_wait([self = shared_from_this(), number, what_is_late](const error_code& error) {
        if (error || number != self->step_number_ || !self->opening()) return;
        self->step_is_late(fmt::format("{} within {} seconds{}", what_is_late, self->options_.step_limit.count(),
                                       self->step_ == Step::kHandshake ? "; this port may not speak TLS" : ""));
    });
}

// While addresses are left, a connection that cannot be made means to try the next one.
void SocketChannel::step_is_late(const std::string& sentence) {
    if (!connecting_) return fail(sentence);
    error_code ignored;
    socket_.close(ignored);  // its handler goes on, with this sentence
    timed_out_ = sentence;
}

void SocketChannel::take_addresses(const Resolved& resolved) {
    resolving_ = false;
    if (!opening()) return;
    if (!resolved.failure.empty()) return fail(fmt::format("{} cannot be reached: {}", hop_, resolved.failure));
    addresses_ = resolved.addresses;
    connect_next("");
}

void SocketChannel::connect_next(const std::string& failure) {
    if (!opening()) return;
    if (next_address_ == addresses_.size()) return fail(failure);
    begin_step(Step::kConnect, fmt::format("{} cannot be reached: no answer", hop_));
    error_code ignored;
    socket_.close(ignored);
    connecting_ = true;
    socket_.async_connect(addresses_[next_address_++],
                          [self = shared_from_this()](const error_code& error) { self->connected(error); });
}

void SocketChannel::connected(const error_code& error) {
    connecting_ = false;
    if (!opening()) return;
    std::string sentence = std::exchange(timed_out_, "");
    if (error && sentence.empty()) sentence = fmt::format("{} cannot be reached: {}", hop_, error.message());
    if (!sentence.empty()) return connect_next(sentence);
    set_options(socket_);
    handshake_ ? talk_to_proxy() : after_proxy();
}

void SocketChannel::talk_to_proxy() {
    begin_step(Step::kProxy, fmt::format("{} does not connect to {}", hop_, place_));
    to_proxy_ = handshake_->greeting();
    write_to_proxy();
}

void SocketChannel::write_to_proxy() {
    asio::async_write(socket_, asio::buffer(to_proxy_), [self = shared_from_this()](const error_code& error, auto) {
        if (!self->opening()) return;
        if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error.message()));
        self->read_from_proxy();
    });
}

void SocketChannel::read_from_proxy() {
    socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](const error_code& error, auto size) {
        if (!self->opening()) return;
        if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error.message()));
        self->received_.append(self->buffer_.data(), size);
        self->take_proxy_reply();
    });
}

void SocketChannel::take_proxy_reply() {
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

void SocketChannel::after_proxy() {
    if (!tls_) return finish();
    // It came in clear text, from anybody on the way: after the handshake it would pass for the server's own bytes.
    if (!received_.empty()) {
        return fail(fmt::format("{} cannot be reached: {} sent something before TLS had begun", place_, hop_));
    }
    start_tls();
}

std::shared_ptr<Channel> make_channel(EventLoop& loop, const ChannelOptions& options) {
    return std::make_shared<SocketChannel>(loop, options);
}

}  // namespace gpuminer::net
