#include "net/transport/http_client.hpp"

#include <array>
#include <string_view>
#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it

#include <fmt/format.h>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

namespace http = boost::beast::http;
using Parser = http::response_parser<http::string_body>;

HttpFailure failure_of(ChannelFailure why) {
    switch (why) {
        case ChannelFailure::kName: return HttpFailure::kName;
        case ChannelFailure::kHandshake: return HttpFailure::kHandshake;
        case ChannelFailure::kCertificate: return HttpFailure::kCertificate;
        case ChannelFailure::kConnect:
        case ChannelFailure::kProxy: break;
    }
    return HttpFailure::kConnect;
}

std::string text_of(const HttpRequest& request, const std::string& host) {
    // Some services refuse clients that do not say what they are.
    std::string text =
        fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: gpuminer\r\n", request.method, request.target, host);
    if (!request.authorization.empty()) text += fmt::format("Authorization: {}\r\n", request.authorization);
    text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n\r\n", request.content_type, request.body.size());
    return text + request.body;
}

}  // namespace

/// The client's state; its own handlers keep it alive while a request is in flight.
class HttpClient::Exchange : public std::enable_shared_from_this<Exchange> {
public:
    Exchange(EventLoop& loop, HttpOptions options)
        : loop_(loop),
          options_(std::move(options)),
          place_(options_.channel.unix_path.empty() ? host_and_port(options_.channel.host, options_.channel.port)
                                                    : options_.channel.unix_path),
          host_(options_.channel.unix_path.empty() ? place_ : "localhost"),
          deadline_(loop),
          silence_(loop) {}

    void begin(const HttpRequest& request, std::chrono::milliseconds time_limit, Done done) {
        request_ = std::make_shared<const std::string>(text_of(request, host_));
        longest_reply_ = request.longest_reply;
        done_ = std::move(done);
        deadline_.start(time_limit, [self = shared_from_this()] { self->too_late(); });
        // An idle connection on which something came is closed, or out of step: what came would pass for the reply.
        if (reusable_ && channel_->quiet()) {
            used_before_ = true;
            send();
        } else {
            connect();
        }
    }

    void cancel() {
        done_ = nullptr;
        end();
    }

private:
    using Buffer = std::array<char, 65'536>;

    void connect() {
        end_channel();
        used_before_ = false;
        channel_ = make_channel(loop_, options_.channel);
        buffer_ = std::make_shared<Buffer>();  // one each: what an earlier channel still reads is not to end up here
        opening_ = true;
        channel_->open(
            [self = shared_from_this(), this](const std::string& early) {
                opening_ = false;
                received_ = early;
                send();
            },
            [self = shared_from_this(), this](ChannelFailure why, const std::string& sentence) {
                fail(failure_of(why), sentence);
            },
            nullptr);
    }

    void send() {
        reusable_ = false;
        begin_reply();
        written_ = false;
        if (options_.silent) silence_.start(options_.silence, [self = shared_from_this()] { self->options_.silent(); });
        // Where it fails, reading tells: a server may answer, and close, before it has taken all of the request.
        channel_->write(*request_, [self = shared_from_this(), this, channel = channel_,
                                    request = request_](const Transfer& transfer) {
            if (channel == channel_) written_ = transfer.error.empty();
        });
        received_.empty() ? read() : parse();
    }

    void begin_reply() {
        parser_.emplace();  // not eager: Beast 1.74 then forgets the limit where head and body come in one piece
        parser_->body_limit(longest_reply_);
    }

    void read() {
        channel_->read(*buffer_, [self = shared_from_this(), this, channel = channel_,
                                  buffer = buffer_](const Transfer& transfer) {
            if (channel != channel_ || !done_) return;
            silence_.cancel();
            if (transfer.error.empty()) {
                received_.append(buffer->data(), transfer.size);
                parse();
            } else {
                take_end(transfer);
            }
        });
    }

    void parse() {
        std::string_view left = received_;
        while (!left.empty() && !parser_->is_done()) {
            boost::system::error_code error;
            const std::size_t taken = parser_->put(boost::asio::buffer(left), error);
            left.remove_prefix(taken);
            if (error && error != http::error::need_more) return fail_reply(error);
            if (taken == 0) break;
            // "100 Continue" and the like come before the reply (RFC 9110, section 15.2).
            if (parser_->is_done() && parser_->get().result_int() / 100 == 1) begin_reply();
        }
        received_.erase(0, received_.size() - left.size());
        parser_->is_done() ? finish() : read();
    }

    /// The server has closed the connection, or it broke.
    void take_end(const Transfer& transfer) {
        if (retry()) return;
        boost::system::error_code error;
        // A reply without a length ends with the connection.
        if (transfer.closed && parser_->is_header_done()) parser_->put_eof(error);
        if (parser_->is_done() && !error) return finish();
        broke(transfer.error);
    }

    /// The server may have closed the connection because nobody had used it for a while.
    bool retry() {
        const bool untouched = received_.empty() && !parser_->got_some();
        if (!used_before_ || !untouched) return false;
        connect();
        return true;
    }

    void finish() {
        HttpResult result;
        result.status = static_cast<int>(parser_->get().result_int());
        reusable_ = parser_->keep_alive() && received_.empty() && written_;
        result.body = std::move(parser_->get().body());
        complete(std::move(result));
    }

    void fail_reply(const boost::system::error_code& error) {
        if (error == http::error::body_limit) {
            return fail(HttpFailure::kTooLong,
                        fmt::format("the reply of {} is longer than {} MiB", place_, longest_reply_ >> 20U));
        }
        fail(HttpFailure::kMalformed, fmt::format("the reply of {} is not HTTP: {}", place_, error.message()));
    }
    void broke(const std::string& why) {
        fail(HttpFailure::kBroken, fmt::format("the connection to {} broke: {}", place_, why));
    }
    void too_late() {
        if (!done_) return;
        opening_ ? fail(HttpFailure::kConnect, fmt::format("{} cannot be reached in time", place_))
                 : fail(HttpFailure::kTimeout, fmt::format("{} does not answer in time", place_));
    }
    void fail(HttpFailure why, const std::string& sentence) {
        HttpResult result;
        result.failure = why;
        result.sentence = sentence;
        complete(std::move(result));
    }

    void complete(HttpResult result) {
        const Done done = std::exchange(done_, nullptr);
        if (reusable_ && result.status != 0) {
            deadline_.cancel();
        } else {
            end();
        }
        done(std::move(result));
    }

    void end() {
        deadline_.cancel();
        silence_.cancel();
        end_channel();
    }
    void end_channel() {
        reusable_ = false;
        opening_ = false;
        received_.clear();
        if (const auto channel = std::exchange(channel_, nullptr)) channel->close();
    }

    EventLoop& loop_;
    const HttpOptions options_;
    const std::string place_;  // "host:port", or a Unix socket's path
    const std::string host_;   // for the header field of that name
    Timer deadline_, silence_;
    std::shared_ptr<const std::string> request_;
    std::size_t longest_reply_ = 0;
    bool written_ = false;
    Done done_;  // null: no request is in flight
    std::shared_ptr<Channel> channel_;
    bool opening_ = false;
    bool reusable_ = false;     // the channel is open, and between two requests
    bool used_before_ = false;  // the request in flight is not the channel's first
    std::optional<Parser> parser_;
    std::shared_ptr<Buffer> buffer_;
    std::string received_;  // and not yet taken by the parser
};

HttpClient::HttpClient(EventLoop& loop, HttpOptions options)
    : exchange_(std::make_shared<Exchange>(loop, std::move(options))) {}
HttpClient::~HttpClient() { cancel(); }

void HttpClient::send(const HttpRequest& request, std::chrono::milliseconds time_limit, Done done) {
    exchange_->begin(request, time_limit, std::move(done));
}
void HttpClient::cancel() { exchange_->cancel(); }

}  // namespace gpuminer::net
