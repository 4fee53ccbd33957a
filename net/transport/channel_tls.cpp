// TLS on a channel, and reading and writing with and without it.
#include <fmt/format.h>

#include "net/transport/socket_channel.hpp"
#include "net/transport/sockets.hpp"
// After the first of these, which includes <utility> first.
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

namespace gpuminer::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

asio::ssl::context shared_context(const TlsContext& tls) {
    SSL_CTX_up_ref(tls.context.get());
    return asio::ssl::context(tls.context.get());  // takes that reference over
}

// Keeps the channel alive while it reads or writes.
struct TransferHandler {
    std::shared_ptr<SocketChannel> channel;
    Channel::Done done;
    void operator()(const error_code& error, std::size_t size) const {
        const bool closed = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
        done({size, closed, error ? error.message() : ""});
    }
};

}  // namespace

struct SocketChannel::Tls {
    explicit Tls(tcp::socket& socket, const TlsContext& tls) : context(shared_context(tls)), stream(socket, context) {}
    asio::ssl::context context;
    asio::ssl::stream<tcp::socket&> stream;
    std::string distrust;  // why the certificate was not accepted
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
        return fail(handshake_failure(code, error.message(), place_));
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

bool SocketChannel::quiet() { return !opening() && socket_.is_open() && is_quiet(socket_.native_handle()); }

}  // namespace gpuminer::net
