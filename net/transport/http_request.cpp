#include "net/transport/http_request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace gpuminer::net {
namespace {

namespace http = boost::beast::http;
using RequestParser = http::request_parser<http::string_body>;

constexpr unsigned kHttp11 = 11;  // as Beast writes versions

unsigned status_of(const boost::system::error_code& error) {
    if (error == http::error::header_limit) return 431;
    if (error == http::error::body_limit) return 413;
    if (error == http::error::bad_version) return 505;
    return 400;
}

ReadRequest refused(unsigned status, const std::string& sentence) {
    ReadRequest read;
    read.refusal = status;
    read.sentence = sentence;
    return read;
}

/// Why it is refused by its head alone, so that nobody waits for a body, which may only come after an answer (Expect).
/// Bodies come with a Content-Length alone: clients know theirs, and one whose end is read in another way than a proxy
/// has read it would be the next request (RFC 9112, sections 6.1 and 6.3).
std::optional<ReadRequest> refused_by_head(const RequestParser& parser) {
    constexpr std::array kOnce = {http::field::host, http::field::origin, http::field::authorization,
                                  http::field::cookie, http::field::content_type};
    const RequestParser::value_type& message = parser.get();
    for (const http::field field : kOnce) {
        if (message.count(field) > 1) return refused(400, "expected each field of the request's head once");
    }
    if (message.version() >= kHttp11 && message.count(http::field::host) == 0)
        return refused(400, "the request has no Host");
    if (message.count(http::field::expect) != 0) return refused(417, "expected a request without Expect");
    if (parser.chunked()) return refused(411, "expected a request with a Content-Length, got one in chunks");
    if (message.count(http::field::transfer_encoding) != 0)
        return refused(501, "expected a request without Transfer-Encoding");
    return std::nullopt;
}

/// "http://host/path" (RFC 9112, section 3.2.2) as "/path", its host in place of the field's.
void take_absolute_form(std::string& target, std::string& host) {
    constexpr std::string_view kScheme = "http://";
    if (!target.starts_with(kScheme)) return;
    const std::size_t end = std::min(target.find_first_of("/?", kScheme.size()), target.size());
    host = target.substr(kScheme.size(), end - kScheme.size());
    target.erase(0, end);
    if (!target.starts_with('/')) target.insert(0, "/");
}

ReadRequest request_of(RequestParser::value_type& message) {
    const auto text_of = [](boost::beast::string_view view) { return std::string(view.data(), view.size()); };
    const auto field = [&](http::field name) { return text_of(message[name]); };
    ReadRequest read;
    read.request = {.method = text_of(message.method_string()),
                    .path = text_of(message.target()),
                    .query = {},
                    .host = field(http::field::host),
                    .origin = field(http::field::origin),
                    .authorization = field(http::field::authorization),
                    .cookie = field(http::field::cookie),
                    .content_type = field(http::field::content_type),
                    .is_forwarded = message.count("Forwarded") != 0 || message.count("X-Forwarded-For") != 0,
                    .body = std::move(message.body()),
                    .local_address = {}};
    ServerRequest& request = read.request;
    take_absolute_form(request.path, request.host);
    if (!request.path.starts_with('/')) return refused(400, "expected a target that begins with /");
    if (const std::size_t mark = request.path.find('?'); mark != std::string::npos) {
        request.query = request.path.substr(mark + 1);
        request.path.resize(mark);
    }
    read.head_only = request.method == "HEAD";
    if (read.head_only) request.method = "GET";
    read.keep_open = message.version() >= kHttp11 && message.keep_alive();
    return read;
}

}  // namespace

struct RequestReader::Impl {
    RequestParser parser;  // not eager: Beast 1.74 then forgets the limit where head and body come in one piece
    std::size_t head_limit = 0;
};

RequestReader::RequestReader(const RequestLimits& limits) : impl_(std::make_unique<Impl>()) {
    impl_->head_limit = limits.head;
    impl_->parser.header_limit(static_cast<std::uint32_t>(limits.head));
    impl_->parser.body_limit(limits.body);
}
RequestReader::~RequestReader() = default;
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;

std::optional<ReadRequest> RequestReader::take(std::string& received) {
    RequestParser& parser = impl_->parser;
    std::string_view left = received;
    boost::system::error_code error;
    while (!left.empty() && !parser.is_done() && !error) {
        const std::size_t taken = parser.put(boost::asio::buffer(left), error);
        left.remove_prefix(taken);
        auto refusal = parser.is_header_done() ? refused_by_head(parser) : std::nullopt;
        if (refusal) return refusal;
        if (taken == 0) break;
    }
    received.erase(0, received.size() - left.size());
    if (error && error != http::error::need_more)
        return refused(status_of(error), "expected a request of HTTP/1.1, within its bounds: " + error.message());
    if (parser.is_done()) return request_of(parser.get());
    if (received.size() > impl_->head_limit) return refused(431, "expected a request with a shorter head");
    return std::nullopt;
}

}  // namespace gpuminer::net
