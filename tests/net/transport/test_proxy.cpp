// Conversations with SOCKS5 and HTTP proxies.
#include "net/transport/proxy.hpp"

#include "host/errors.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

TEST_CASE("a SOCKS5 proxy's conversation, byte for byte") {
    const auto text = [](std::initializer_list<int> bytes) {
        std::string s;
        for (const int byte : bytes) s += static_cast<char>(byte);
        return s;
    };
    const auto proxy = make_proxy_handshake(parse_proxy_url("socks5://me:pw@p:1"), "pool.example", 0x0d05);
    REQUIRE(proxy->greeting() == text({5, 2, 0, 2}));
    std::string received = text({5, 2});
    REQUIRE(proxy->answer(received) == text({1, 2, 'm', 'e', 2, 'p', 'w'}));
    received += text({1, 0});
    REQUIRE(proxy->answer(received) == text({5, 1, 0, 3, 12}) + "pool.example" + text({0x0d, 0x05}));
    received += text({5, 0, 0, 1, 1, 2, 3});
    REQUIRE(proxy->answer(received).empty());
    REQUIRE_FALSE(proxy->done());
    received += text({4, 0, 80}) + "rest";
    REQUIRE(proxy->answer(received).empty());
    REQUIRE(proxy->done());
    REQUIRE(received == "rest");

    const auto v6 = make_proxy_handshake(parse_proxy_url("p:1"), "::1", 1);
    REQUIRE(v6->greeting() == text({5, 1, 0}));
    received = text({5, 0});
    REQUIRE(v6->answer(received) == text({5, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}));
    received = text({5, 5});
    REQUIRE_THROWS_WITH(v6->answer(received), Catch::Matchers::ContainsSubstring("connection refused"));

    const auto refused = make_proxy_handshake(parse_proxy_url("p:1"), "pool", 1);
    received = text({5, 255});
    REQUIRE_THROWS_WITH(refused->answer(received), Catch::Matchers::ContainsSubstring("requires a user"));
    const auto http = make_proxy_handshake(parse_proxy_url("p:1"), "pool", 1);
    received = "HTTP/1.1 400 Bad Request\r\n\r\n";
    REQUIRE_THROWS_WITH(http->answer(received), Catch::Matchers::ContainsSubstring("does not speak SOCKS5"));
    REQUIRE_THROWS_AS(make_proxy_handshake(parse_proxy_url("p:1"), std::string(256, 'x'), 1), NetworkError);
}

TEST_CASE("an HTTP proxy's conversation") {
    const ProxyUrl url = parse_proxy_url("http://Aladdin:open%20sesame@p:1");
    const auto proxy = make_proxy_handshake(url, "::1", 3333);
    // The credentials are those of RFC 7617, section 2.
    REQUIRE(proxy->greeting() ==
            "CONNECT [::1]:3333 HTTP/1.1\r\nHost: [::1]:3333\r\n"
            "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n");
    std::string received = "HTTP/1.0 200 OK\r\nVia: x\r\n\r";
    REQUIRE(proxy->answer(received).empty());
    REQUIRE_FALSE(proxy->done());
    received += "\n{}";
    REQUIRE(proxy->answer(received).empty());
    REQUIRE(proxy->done());
    REQUIRE(received == "{}");

    const std::pair<std::string, std::string> failures[] = {
        {"HTTP/1.1 407 Authentication Required\r\n\r\n", "user and a password"},
        {"HTTP/1.1 502 Bad\x1b Gateway\r\n\r\n", "502 Bad\\x1b Gateway"},
        {"HTTP/1.1\r\n\r\n", "does not speak HTTP"},
        {"SSH-2.0-OpenSSH\r\n\r\n", "does not speak HTTP"},
        {std::string(20'000, 'x'), "does not speak HTTP"},
    };
    for (const auto& [answer, why] : failures) {
        const auto failing = make_proxy_handshake(url, "pool", 1);
        std::string text = answer;
        REQUIRE_THROWS_WITH(failing->answer(text), Catch::Matchers::ContainsSubstring(why));
    }
}
