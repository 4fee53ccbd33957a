// Tests of requests as they come over the wire: whole, in pieces, one after the other, and malformed.
#include "net/transport/http_request.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

using namespace gpuminer::net;

namespace {

ReadRequest read(std::string text) {
    RequestReader reader({});
    auto read = reader.take(text);
    REQUIRE(read);
    return std::move(*read);
}

unsigned refusal(const std::string& text) { return read(text).refusal; }

}  // namespace

TEST_CASE("a request with all that is looked at") {
    const ReadRequest post = read(
        "POST /api/v1/session?a=b&c HTTP/1.1\r\nHost: localhost:8080\r\nORIGIN: "
        "http://localhost:8080\r\nAuthorization: "
        "Bearer x\r\nCookie: a=1; b=2\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n{..}");
    CHECK(post.refusal == 0);
    CHECK(post.request.method == "POST");
    CHECK(post.request.path == "/api/v1/session");
    CHECK(post.request.query == "a=b&c");
    CHECK(post.request.host == "localhost:8080");
    CHECK(post.request.origin == "http://localhost:8080");
    CHECK(post.request.authorization == "Bearer x");
    CHECK(post.request.cookie == "a=1; b=2");
    CHECK(post.request.content_type == "application/json");
    CHECK(post.request.body == "{..}");
    CHECK(post.keep_open);
    CHECK_FALSE(post.head_only);
}

TEST_CASE("requests in pieces, and one after the other") {
    const std::string both =
        "HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n";
    for (std::size_t piece = 1; piece < both.size(); ++piece) {
        std::vector<ReadRequest> requests;
        std::string received;
        RequestReader reader({});
        for (std::size_t at = 0; at < both.size(); at += piece) {
            received += both.substr(at, piece);
            while (auto request = reader.take(received)) {
                requests.push_back(std::move(*request));
                reader = RequestReader({});
            }
        }
        REQUIRE(requests.size() == 2);
        CHECK(requests[0].head_only);
        CHECK(requests[0].request.method == "GET");
        CHECK(requests[0].keep_open);
        CHECK(requests[1].request.path == "/x");
        CHECK_FALSE(requests[1].keep_open);
        CHECK(received.empty());
    }
}

TEST_CASE("targets") {
    CHECK(read("GET http://evil.example HTTP/1.1\r\nHost: localhost\r\n\r\n").request.host == "evil.example");
    CHECK(read("GET http://a:1/b?c HTTP/1.1\r\nHost: x\r\n\r\n").request.path == "/b");
    CHECK(read("GET http://a?c HTTP/1.1\r\nHost: x\r\n\r\n").request.path == "/");
    CHECK(refusal("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n") == 400);
    CHECK(refusal("GET health HTTP/1.1\r\nHost: x\r\n\r\n") == 400);
}

TEST_CASE("requests that a proxy has passed on") {
    const auto forwarded = [](const std::string& fields) {
        return read("GET / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n").request.is_forwarded;
    };
    CHECK_FALSE(forwarded("Via: 1.1 x\r\nX-Forwarded-Forward: 1\r\n"));
    for (const char* field : {"Forwarded: for=192.0.2.60", "X-Forwarded-For: 192.0.2.60",
                              "x-forwarded-for:", "X-Forwarded-For: a\r\nX-FORWARDED-FOR: b"}) {
        CAPTURE(field);
        CHECK(forwarded(std::string(field) + "\r\n"));
    }
}

TEST_CASE("bodies") {
    CHECK(read("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde").request.body == "abcde");
    CHECK(refusal("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n") == 411);
    for (const char* encoding : {"Transfer-Encoding: xchunked", "Transfer-Encoding: gzip",
                                 "Transfer-Encoding: identity", "Transfer-Encoding: chunked, identity",
                                 "transfer-encoding:", "Transfer-Encoding: x\r\nTransfer-Encoding: y"}) {
        for (const char* version : {"1.0", "1.1"}) {
            CAPTURE(encoding, version);
            const std::string head = std::string("POST / HTTP/") + version + "\r\nHost: x\r\n" + encoding + "\r\n";
            CHECK(refusal(head + "\r\n") == 501);
            CHECK(refusal(head + "Content-Length: 4\r\n\r\nabcd") == 501);
        }
    }
    CHECK(refusal("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n") == 411);
    CHECK(refusal("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nabcd") == 400);
    CHECK(refusal("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8193\r\n\r\n") == 413);
    CHECK(refusal("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nabcd") == 417);
}

TEST_CASE("what is wrong with a head is said without the body, for which nobody has to wait") {
    const auto with = [](const std::string& fields) {
        return refusal("POST / HTTP/1.1\r\n" + fields + "Content-Length: 4\r\n\r\n");
    };
    CHECK(with("Host: x\r\nExpect: 100-continue\r\n") == 417);
    CHECK(with("Host: x\r\nHost: y\r\n") == 400);
    CHECK(with("Host: x\r\nCookie: a\r\nCookie: b\r\n") == 400);
    CHECK(with("") == 400);
}

TEST_CASE("what is no request") {
    CHECK(refusal("GET / HTTP/1.1\r\n\r\n") == 400);  // no Host
    CHECK(refusal("GET / HTTP/1.0\r\n\r\n") == 0);
    CHECK_FALSE(read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_open);
    CHECK(refusal("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n") == 400);
    CHECK(refusal("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n") == 400);
    CHECK(refusal("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab") == 400);
    CHECK(refusal("GET / HTTP/2.0\r\nHost: x\r\n\r\n") >= 400);
    CHECK(refusal(std::string("\x16\x03\x01\x02\x00", 5) + std::string(600, 'x')) >= 400);  // TLS
    CHECK(refusal("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n") == 431);
    CHECK(refusal("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(9000, 'a') + "\r\n\r\n") == 431);
    std::string endless = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < 1000; ++i) endless += "X-Field: value\r\n";
    CHECK(refusal(endless) == 431);
}
