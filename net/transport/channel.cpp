#include "net/transport/channel.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it
#include <vector>

#include <fmt/format.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "host/abandonable_thread.hpp"
#include "host/errors.hpp"
#include "net/transport/proxy.hpp"
#include "net/transport/resolver.hpp"
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
    send_keep_alives(static_cast<std::intptr_t>(socket.native_handle()));
}

asio::ssl::context shared_context(const TlsContext& tls) {
    SSL_CTX_up_ref(tls.context.get());
    return asio::ssl::context(tls.context.get());  // takes that reference over
}

/// Over a Boost.Asio socket.
class SocketChannel final : public Channel, public std::enable_shared_from_this<SocketChannel> {
public:
    SocketChannel(EventLoop& loop, const ChannelOptions& options);

    void open(Opened opened, Failed failed, std::function<void()> accepted) override;
    void close() override;
    void read(std::span<char> buffer, Done done) override;
    void write(std::string_view bytes, Done done) override;
    void shut_down(std::function<void()> done) override;
    bool quiet() override;

private:
    struct Tls;
    using Step = ChannelFailure;  // what the channel fails with while the step is under way

    [[nodiscard]] bool opening() const { return failed_ != nullptr; }
    void begin_step(Step step, const std::string& what_is_late);
    void step_is_late(const std::string& sentence);
    void connect_to_path();
    void take_addresses(const Resolved& resolved);
    void connect_next(const std::string& failure);
    void connected(const error_code& error);
    void talk_to_proxy();
    void write_to_proxy();
    void read_from_proxy();
    void take_proxy_reply();
    void after_proxy();
    void prepare_tls();
    void start_tls();
    void end_handshake(const error_code& error);
    void finish();
    void fail(const std::string& sentence) { fail(step_, sentence); }
    void fail(ChannelFailure why, const std::string& sentence);
    void close_socket();

    EventLoop& loop_;
    const ChannelOptions options_;
    const std::string place_;  // "host:port", or the path
    std::string hop_;          // where the socket goes, for messages: the place or the proxy
    std::string hop_host_;
    std::uint16_t hop_port_ = 0;
    Opened opened_;
    Failed failed_;  // null: it is not opening
    std::function<void()> accepted_;

    tcp::socket socket_;
    std::shared_ptr<Tls> tls_;  // null: plain TCP
    asio::steady_timer timer_;
    Step step_ = Step::kName;
    std::uint64_t step_number_ = 0;  // whose time limit runs

    bool connecting_ = false;
    bool resolving_ = false;
    std::string timed_out_;
    std::vector<tcp::endpoint> addresses_;
    std::size_t next_address_ = 0;
    std::unique_ptr<ProxyHandshake> handshake_;
    std::string to_proxy_;
    std::array<char, 4096> buffer_{};
    std::string received_;
};

struct SocketChannel::Tls {
    explicit Tls(tcp::socket& socket, const TlsContext& tls) : context(shared_context(tls)), stream(socket, context) {}
    asio::ssl::context context;
    asio::ssl::stream<tcp::socket&> stream;
    std::string distrust;  // why the certificate was not accepted
};

SocketChannel::SocketChannel(EventLoop& loop, const ChannelOptions& options)
    : loop_(loop),
      options_(options),
      place_(options.unix_path.empty() ? host_and_port(options.host, options.port) : options.unix_path),
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
    if (!options_.unix_path.empty())
        return asio::post(socket_.get_executor(), [self = shared_from_this()] { self->connect_to_path(); });
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

void SocketChannel::connect_to_path() {
    if (!opening()) return;
    const int descriptor = connect_to_unix(options_.unix_path);  // at once, or not at all
    error_code error(descriptor < 0 ? -descriptor : 0, boost::system::system_category());
    if (!error) socket_.assign(tcp::v4(), descriptor, error);  // reads and writes do not ask for the protocol
    if (error)
        return fail(ChannelFailure::kConnect, fmt::format("{} cannot be reached: {}", place_, error_text(error)));
    after_proxy();
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
    if (error && sentence.empty()) sentence = fmt::format("{} cannot be reached: {}", hop_, error_text(error));
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
        if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error_text(error)));
        self->read_from_proxy();
    });
}

void SocketChannel::read_from_proxy() {
    socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](const error_code& error, auto size) {
        if (!self->opening()) return;
        if (error) return self->fail(fmt::format("{} broke off: {}", self->hop_, error_text(error)));
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

// ----- TLS, and reading and writing with and without it -----

// Keeps the channel alive while it reads or writes.
struct TransferHandler {
    std::shared_ptr<SocketChannel> channel;
    Channel::Done done;
    void operator()(const error_code& error, std::size_t size) const {
        const bool closed = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
        done({size, closed, error ? error_text(error) : ""});
    }
};

void SocketChannel::prepare_tls() { tls_ = std::make_shared<Tls>(socket_, *options_.tls); }

void SocketChannel::start_tls() {
    if (!expect_server(tls_->stream.native_handle(), options_.host, options_.tls->options)) {
        return fail(Step::kCertificate,
                    fmt::format("{} is not a name that a certificate can be compared with", place_));
    }
    begin_step(Step::kHandshake, fmt::format("{} does not finish the TLS handshake", place_));
    if (SSL_get_verify_mode(tls_->stream.native_handle()) != SSL_VERIFY_NONE) {
        tls_->stream.set_verify_callback([weak = weak_from_this()](bool good, asio::ssl::verify_context& verification) {
            const auto self = weak.lock();
            if (!good && self && self->tls_->distrust.empty()) {
                self->tls_->distrust =
                    verification_failure(verification.native_handle(), self->place_, self->options_.tls->advice);
            }
            return good;
        });
    }
    if (accepted_) accepted_();
    tls_->stream.async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](const error_code& error) {
        if (self->opening()) self->end_handshake(error);
    });
}

void SocketChannel::end_handshake(const error_code& error) {
    if (error) {
        if (!tls_->distrust.empty()) return fail(Step::kCertificate, tls_->distrust);
        const bool from_openssl = error.category() == asio::error::get_ssl_category();
        const auto code = from_openssl ? static_cast<unsigned long>(error.value()) : 0;
        return fail(handshake_failure(code, error_text(error), place_));
    }
    const auto failure = fingerprint_failure(tls_->stream.native_handle(), place_, options_.tls->options);
    failure ? fail(Step::kCertificate, *failure) : finish();
}

void SocketChannel::read(std::span<char> buffer, Done done) {
    const auto into = asio::buffer(buffer.data(), buffer.size());
    TransferHandler handler{shared_from_this(), std::move(done)};
    tls_ ? tls_->stream.async_read_some(into, std::move(handler)) : socket_.async_read_some(into, std::move(handler));
}

void SocketChannel::write(std::string_view bytes, Done done) {
    const auto from = asio::buffer(bytes);
    TransferHandler handler{shared_from_this(), std::move(done)};
    tls_ ? asio::async_write(tls_->stream, from, std::move(handler))
         : asio::async_write(socket_, from, std::move(handler));
}

void SocketChannel::shut_down(std::function<void()> done) {
    if (!tls_) return done();
    tls_->stream.async_shutdown([self = shared_from_this(), done = std::move(done)](const error_code&) { done(); });
}

bool SocketChannel::quiet() {
    return !opening() && socket_.is_open() && is_quiet(static_cast<std::intptr_t>(socket_.native_handle()));
}

}  // namespace

std::shared_ptr<Channel> make_channel(EventLoop& loop, const ChannelOptions& options) {
    return std::make_shared<SocketChannel>(loop, options);
}

}  // namespace gpuminer::net
