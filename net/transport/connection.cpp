#include "net/transport/connection.hpp"

#include <array>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "net/transport/channel.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

ChannelOptions channel_options(const Endpoint& url, const std::optional<ProxyUrl>& proxy, const TlsOptions& tls) {
    ChannelOptions options;
    options.host = url.host;
    options.port = url.port;
    options.proxy = proxy;
    if (url.tls) {
        options.tls = make_tls_context(tls, "--cert FILE or --tls-fingerprint HEX names it");
    }
    return options;
}

// It does not suggest to do without TLS where there is some: whoever can disturb a handshake would get the password.
constexpr const char* kPlainScheme =
    "; the URL of a port without TLS begins with stratum+tcp://, and anyone on the way can read and change its traffic";

// Kept alive by its own handlers; detached from the outside by `events_` becoming null.
class StreamSocket : public std::enable_shared_from_this<StreamSocket> {
public:
    StreamSocket(EventLoop& loop, const Endpoint& url, const std::optional<ProxyUrl>& proxy, const TlsOptions& tls,
                 ConnectionEvents events)
        : events_(std::make_shared<ConnectionEvents>(std::move(events))),
          loop_(loop),
          channel_(make_channel(loop, channel_options(url, proxy, tls))),
          place_(host_and_port(url.host, url.port)),
          closing_(loop) {}

    void start() {
        channel_->open([self = shared_from_this()](const std::string& early) { self->begin(early); },
                       [self = shared_from_this()](ChannelFailure kind, const std::string& why) {
                           self->fail(kind == ChannelFailure::kHandshake ? why + kPlainScheme : why);
                       },
                       [events = std::weak_ptr(events_)] {
                           const auto open = events.lock();
                           if (open && open->accepted) open->accepted();
                       });
    }

    void send(std::string bytes) {
        if (!events_ || !open_) return;
        queued_ += bytes.size();
        queue_.push_back(std::move(bytes));
        if (queued_ > kMostQueued) {
            loop_.post(
                [self = shared_from_this()] { self->fail(fmt::format("{} no longer accepts data", self->place_)); });
        } else if (!writing_) {
            write_next();
        }
    }

    void close() {
        if (!std::exchange(events_, nullptr)) return;
        if (!open_) return close_channel();
        // A second to send what is left.
        closing_.start(std::chrono::seconds(1), [self = shared_from_this()] { self->close_channel(); });
        if (!writing_) shut_down();
    }

private:
    void begin(const std::string& early) {
        open_ = true;
        const auto events = events_;
        events->connected();
        if (!events_) return;
        if (!early.empty()) events->received(early);
        if (events_) read_next();
    }

    void read_next() {
        channel_->read(buffer_, [self = shared_from_this()](const Transfer& transfer) {
            if (!self->events_) return;
            if (!transfer.error.empty()) return self->fail_reading(transfer);
            const auto events = self->events_;
            events->received({self->buffer_.data(), transfer.size});
            if (self->events_) self->read_next();
        });
    }
    void fail_reading(const Transfer& transfer) {
        fail(transfer.closed ? fmt::format("{} closed the connection", place_)
                             : fmt::format("the connection to {} broke: {}", place_, transfer.error));
    }

    void write_next() {
        writing_ = true;
        channel_->write(queue_.front(), [self = shared_from_this()](const Transfer& transfer) {
            self->writing_ = false;
            self->queued_ -= self->queue_.front().size();
            self->queue_.pop_front();
            if (!transfer.error.empty()) {
                if (!self->events_) return self->close_channel();
                return self->fail(fmt::format("the connection to {} broke: {}", self->place_, transfer.error));
            }
            if (!self->queue_.empty()) return self->write_next();
            if (!self->events_) self->shut_down();
        });
    }

    void fail(const std::string& sentence) {
        const auto events = std::exchange(events_, nullptr);
        close_channel();
        if (events) events->closed(sentence);
    }

    void shut_down() {
        channel_->shut_down([self = shared_from_this()] { self->close_channel(); });
    }
    void close_channel() {
        open_ = false;
        closing_.cancel();
        channel_->close();
    }

    std::shared_ptr<ConnectionEvents> events_;  // null: events are not reported any more
    EventLoop& loop_;
    std::shared_ptr<Channel> channel_;
    const std::string place_;  // "host:port"
    Timer closing_;
    bool open_ = false;
    bool writing_ = false;
    std::deque<std::string> queue_;
    std::size_t queued_ = 0;  // bytes
    std::array<char, 16'384> buffer_{};
};

class Handle : public Connection {
public:
    explicit Handle(std::shared_ptr<StreamSocket> stream) : stream_(std::move(stream)) { stream_->start(); }
    ~Handle() override { stream_->close(); }
    void send(std::string bytes) override { stream_->send(std::move(bytes)); }
    void close() override { stream_->close(); }

private:
    std::shared_ptr<StreamSocket> stream_;
};

}  // namespace

std::unique_ptr<Connection> make_connection(EventLoop& loop, const Endpoint& url, const std::optional<ProxyUrl>& proxy,
                                            const TlsOptions& tls, ConnectionEvents events) {
    return std::make_unique<Handle>(std::make_shared<StreamSocket>(loop, url, proxy, tls, std::move(events)));
}

}  // namespace gpuminer::net
