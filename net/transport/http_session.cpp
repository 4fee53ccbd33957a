#include "net/transport/http_session.hpp"

#include <fmt/format.h>

#include <boost/asio/write.hpp>
#include <boost/beast/http/status.hpp>
#include <string_view>
#include <vector>

namespace gpuminer::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using std::chrono::milliseconds;

constexpr milliseconds kDrainTime{2'000};  // for a client to see why it is hung up on
constexpr std::size_t kMostDrained = std::size_t{1} << 20;

std::string_view reason_of(unsigned status) {
    const auto reason = http::obsolete_reason(static_cast<http::status>(status));
    return {reason.data(), reason.size()};
}

std::string head_of(const ServerReply& reply, bool keep_open) {
    std::string head = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason_of(reply.status));
    if (!reply.content_type.empty()) head += fmt::format("Content-Type: {}\r\n", reply.content_type);
    if (!reply.events) head += fmt::format("Content-Length: {}\r\n", reply.body ? reply.body->size() : 0);
    for (const auto& [name, value] : reply.headers) head += fmt::format("{}: {}\r\n", name, value);
    return head + (keep_open && !reply.events ? "\r\n" : "Connection: close\r\n\r\n");
}

}  // namespace

HttpSession::HttpSession(EventLoop& loop, Socket socket, std::string local_address, SessionOwner& owner)
    : owner_(owner), socket_(std::move(socket)), deadline_(loop), local_address_(std::move(local_address)) {}

void HttpSession::close() {
    if (!std::exchange(open_, false)) return;
    deadline_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
    unsent_.clear();
    owner_.ended(*this);  // may be all that kept it
}

void HttpSession::begin_request() {
    active_at_ = steady_now();
    reader_.emplace(owner_.limits().request);
    deadline_.start(owner_.limits().patience, [self = shared_from_this()] { self->close(); });
    received_.empty() ? read() : parse();
}

void HttpSession::read() {
    socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this(), this](
                                                       const boost::system::error_code& error, std::size_t size) {
        if (!open_) return;
        if (error) return close();
        received_.append(buffer_.data(), size);
        parse();
    });
}

void HttpSession::parse() {
    std::optional<ReadRequest> request = reader_->take(received_);
    if (!request) return read();
    deadline_.cancel();
    active_at_ = steady_now();
    reader_.reset();
    request_ = std::move(*request);
    request_.request.local_address = local_address_;
    owner_.wait_for_turn(shared_from_this());
}

void HttpSession::take_turn() {
    if (!open_) return;
    if (request_.refusal == 0) return reply(owner_.handle(request_.request), request_.head_only, request_.keep_open);
    reply({.status = request_.refusal,
           .content_type = "text/plain; charset=utf-8",
           .body = std::make_shared<const std::string>(request_.sentence + "\n")},
          false, false);
}

void HttpSession::reply(const ServerReply& reply, bool head_only, bool keep_open) {
    request_ = {};  // not needed any more
    events_ = reply.events && !head_only;
    keep_open_ = keep_open && !reply.events;
    unsent_.push_back(std::make_shared<const std::string>(head_of(reply, keep_open_)));
    if (reply.body && !head_only) unsent_.push_back(reply.body);
    write();
    if (events_) watch_reader();
}

void HttpSession::publish(const std::shared_ptr<const std::string>& text) {
    if (!open_ || !events_) return;
    unsent_bytes_ += text->size();
    if (unsent_bytes_ > owner_.limits().event_bytes) return close();
    unsent_.push_back(text);
    write();
}

void HttpSession::write() {
    if (writing_ || unsent_.empty()) return;
    writing_ = true;
    unsent_bytes_ = 0;
    const auto texts =
        std::make_shared<const std::deque<std::shared_ptr<const std::string>>>(std::exchange(unsent_, {}));
    std::vector<asio::const_buffer> buffers;
    for (const auto& text : *texts) buffers.push_back(asio::buffer(*text));
    deadline_.start(owner_.limits().patience, [self = shared_from_this()] { self->close(); });
    asio::async_write(socket_, buffers,
                      [self = shared_from_this(), this, texts](const boost::system::error_code& error, std::size_t) {
                          if (!open_) return;
                          if (error) return close();
                          writing_ = false;
                          deadline_.cancel();
                          written();
                      });
}

void HttpSession::written() {
    if (events_ || !unsent_.empty()) return write();
    if (keep_open_) return begin_request();
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    deadline_.start(kDrainTime, [self = shared_from_this()] { self->close(); });
    drain();
}

/// Reads until the client hangs up, too: a close with something unread would take the reply away from it.
void HttpSession::drain() {
    socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this(), this](
                                                       const boost::system::error_code& error, std::size_t size) {
        if (!open_) return;
        drained_ += size;
        error || drained_ > kMostDrained ? close() : drain();
    });
}

/// A reader of events has nothing to say: it hangs up, or is hung up on.
void HttpSession::watch_reader() {
    socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](const boost::system::error_code&,
                                                                               std::size_t) { self->close(); });
}

}  // namespace gpuminer::net
