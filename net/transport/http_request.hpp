// Requests of HTTP/1.1 (RFC 9112), read from bytes that may be anything.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace gpuminer::net {

struct RequestLimits {
    std::size_t head = 8192;  ///< bytes of a request before its body
    std::size_t body = 8192;  ///< bytes
};

/// What a client asks. Header fields are empty where it has none, and none of these is there twice.
struct ServerRequest {
    std::string method;  ///< "GET"; of a HEAD, "GET", too
    std::string path;    ///< of its target, as it came: percent-encoded, without a query
    std::string query;   ///< behind the '?'
    std::string host, origin, authorization, cookie, content_type;
    bool is_forwarded = false;  ///< it has Forwarded (RFC 7239) or X-Forwarded-For: a proxy sent it for somebody else
    std::string body;
    std::string local_address;  ///< of this machine, that the client has reached; empty: a Unix socket
};

struct ReadRequest {
    ServerRequest request;
    unsigned refusal = 0;  ///< the status to answer with, and to close the connection; 0: it is a request
    std::string sentence;  ///< why it is refused
    bool head_only = false;
    bool keep_open = false;  ///< another one may follow the reply
};

/// One request.
class RequestReader {
public:
    explicit RequestReader(const RequestLimits& limits);
    ~RequestReader();
    RequestReader(RequestReader&&) noexcept;
    RequestReader& operator=(RequestReader&&) noexcept;

    /// Takes what belongs to the request from the front of `received`, to which more is appended until it is complete.
    /// Empty: it is not yet. Not to be called any more afterwards.
    [[nodiscard]] std::optional<ReadRequest> take(std::string& received);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gpuminer::net
