// Where pools are, where they may send their miners, in what order and how often they are tried.
#include <set>

#include "host/errors.hpp"
#include "net/pool/client.hpp"
#include "net/pool/reconnect_policy.hpp"
#include "net/pool/schedule.hpp"
#include "net/transport/backoff.hpp"
#include "net/transport/proxy.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using std::chrono::milliseconds;

TEST_CASE("pool URLs", "[pool_url]") {
    struct Case {
        const char* text;
        const char* host;
        std::uint16_t port;
        bool tls;
    };
    const Case cases[] = {
        {"stratum+tcp://pool.example:3333", "pool.example", 3333, false},
        {"pool.example:3333", "pool.example", 3333, false},
        {"STRATUM+TCP://Pool.Example:3333/", "Pool.Example", 3333, false},
        {"tcp://127.0.0.1:1", "127.0.0.1", 1, false},
        {"stratum+ssl://pool.example:65535", "pool.example", 65535, true},
        {"stratum+tls://pool.example:443", "pool.example", 443, true},
        {"stratum+tcps://pool.example:443", "pool.example", 443, true},
        {"ssl://pool.example:443", "pool.example", 443, true},
        {"tls://a_b.example:443", "a_b.example", 443, true},
        {"[::1]:3333", "::1", 3333, false},
        {"stratum+ssl://[fe80::1%eth0]:3333", "fe80::1%eth0", 3333, true},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const Endpoint url = parse_pool_url(c.text);
        REQUIRE(url.text == c.text);
        REQUIRE(url.host == c.host);
        REQUIRE(url.port == c.port);
        REQUIRE(url.tls == c.tls);
    }
}

TEST_CASE("what is no pool URL, and why", "[pool_url]") {
    const std::pair<std::string, std::string> cases[] = {
        {"", "no port"},
        {"pool.example", "no port"},
        {"pool.example:", "1 to 65535"},
        {"pool.example:0", "1 to 65535"},
        {"pool.example:65536", "1 to 65535"},
        {"pool.example:99999999999999999999", "1 to 65535"},
        {"pool.example:-1", "1 to 65535"},
        {"pool.example:+1", "1 to 65535"},
        {"pool.example:33x", "1 to 65535"},
        {":3333", "no host"},
        {"stratum+tcp://", "no port"},
        {"pool.example:3333/path", "no path"},
        {"user@pool.example:3333", "options of their own"},
        {"::1:3333", "brackets"},
        {"[::1]3333", "no port"},
        {"[::1:3333", "not closed"},
        {"[pool]:3333", "IPv6"},
        {"pool example:3333", "character"},
        {"pool\nexample:3333", "character"},
        {std::string(300, 'a') + ":1", "too long"},
        {"http://pool.example:8332", "gpuminer solo"},
        {"stratum2+tcp://pool.example:3336", "V1"},
        {"gopher://pool.example:70", "stratum+tcp://"},
    };
    for (const auto& [text, why] : cases) {
        INFO(text);
        REQUIRE_THROWS_WITH(parse_pool_url(text), Catch::Matchers::ContainsSubstring(why));
        REQUIRE_THROWS_AS(parse_pool_url(text), InputError);
    }
}

TEST_CASE("no message shows the login that a pool's URL may hold", "[pool_url]") {
    for (const std::string url : {"stratum+tcp://user:sekrit@host:3333", "user:sekrit@host:3333", "user:sekrit@host",
                                  "http://user:sekrit@host:3333", "gopher://user:sekrit@host:3333",
                                  "stratum2+tcp://user:sekrit@host:1", "a:sekrit@x://host:3333",
                                  "tcp://[user]:sekrit@host:3333", "[a:b]:sekrit@host:3333", "u:p@sekrit@host:3333"}) {
        INFO(url);
        REQUIRE_THROWS_WITH(parse_pool_url(url), !Catch::Matchers::ContainsSubstring("sekrit") &&
                                                     Catch::Matchers::ContainsSubstring("host"));
        REQUIRE_THROWS_WITH(parse_pool_url(url), !Catch::Matchers::ContainsSubstring("user:"));
    }
    REQUIRE_THROWS_WITH(
        parse_pool_url("stratum+tcp://user:sekrit@host:3333"),
        Catch::Matchers::ContainsSubstring("'stratum+tcp://host:3333': user and password are options of their own"));
}

TEST_CASE("proxy URLs", "[pool_url]") {
    const ProxyUrl plain = parse_proxy_url("127.0.0.1:9050");
    REQUIRE(plain.kind == ProxyKind::kSocks5);
    REQUIRE(plain.host == "127.0.0.1");
    REQUIRE(plain.port == 9050);
    REQUIRE(plain.user.empty());
    const ProxyUrl full = parse_proxy_url("http://me:p%40ss:w@[::1]:3128");
    REQUIRE(full.kind == ProxyKind::kHttp);
    REQUIRE(full.host == "::1");
    REQUIRE(full.user == "me");
    REQUIRE(full.password == "p@ss:w");
    REQUIRE(parse_proxy_url("socks5h://proxy:1080").host == "proxy");
    REQUIRE_THROWS_WITH(parse_proxy_url("socks4://proxy:1080"), Catch::Matchers::ContainsSubstring("socks5://"));
    REQUIRE_THROWS_WITH(parse_proxy_url("socks5://me:secret@proxy"), !Catch::Matchers::ContainsSubstring("secret"));
    REQUIRE_THROWS_WITH(parse_proxy_url("socks5://me:secret@proxy:0"), !Catch::Matchers::ContainsSubstring("secret"));
    REQUIRE_THROWS_WITH(parse_proxy_url("socks5://:secret@proxy:1"), !Catch::Matchers::ContainsSubstring("secret"));
    REQUIRE_THROWS_AS(parse_proxy_url("socks5://" + std::string(256, 'u') + ":p@proxy:1"), InputError);
}

TEST_CASE("a pool may send its miners about within its domain", "[pool_url]") {
    const Endpoint from = parse_pool_url("stratum.pool.example:3333");
    REQUIRE(redirected(from, "", 0).host == "stratum.pool.example");
    REQUIRE(redirected(from, "", 4444).port == 4444);
    REQUIRE(redirected(from, "eu.pool.example", 0).host == "eu.pool.example");
    REQUIRE(redirected(from, "POOL.example", 443).text == "stratum+tcp://POOL.example:443");
    REQUIRE_THROWS_WITH(redirected(from, "evil.example", 0), Catch::Matchers::ContainsSubstring("another domain"));
    REQUIRE_THROWS_WITH(redirected(from, "127.0.0.1", 0), Catch::Matchers::ContainsSubstring("another domain"));
    REQUIRE_THROWS_WITH(redirected(from, "pool.example.evil.test", 0),
                        Catch::Matchers::ContainsSubstring("another domain"));
    REQUIRE_THROWS_WITH(redirected(from, "a b\n", 0), Catch::Matchers::ContainsSubstring("no server's name"));
    REQUIRE_THROWS_WITH(redirected(from, std::string(5000, 'x'), 0),
                        Catch::Matchers::ContainsSubstring("no server's name"));
    REQUIRE_THROWS_WITH(redirected(from, "stratum+tcp://pool.example", 1),
                        Catch::Matchers::ContainsSubstring("no server's name"));

    const Endpoint tls = parse_pool_url("stratum+ssl://stratum.pool.example:3333");
    REQUIRE(redirected(tls, "eu.pool.example", 0).tls);
    REQUIRE(redirected(tls, "", 4444).text == "stratum+ssl://stratum.pool.example:4444");

    const Endpoint address = parse_pool_url("192.0.2.7:3333");
    REQUIRE(redirected(address, "192.0.2.7", 4).port == 4);
    REQUIRE_THROWS_AS(redirected(address, "192.0.2.8", 4), NetworkError);
    REQUIRE_THROWS_AS(redirected(address, "1.2.7", 4), NetworkError);
}

TEST_CASE("domains", "[pool_url]") {
    const std::pair<const char*, const char*> cases[] = {
        {"a.b.pool.example", "pool.example"},  // a top level that is on no list
        {"Pool.Example.", "pool.example"},
        {"EU.POOL.CO.UK", "pool.co.uk"},
        {"eu.pool.co.uk.", "pool.co.uk"},
        {"pool.co.uk", "pool.co.uk"},
        {"co.uk", "co.uk"},
        {"stratum.pool.com", "pool.com"},
        {"x.pool.kawasaki.jp", "x.pool.kawasaki.jp"},  // "*.kawasaki.jp"
        {"a.city.kawasaki.jp", "city.kawasaki.jp"},    // "!city.kawasaki.jp"
        {"eu.pool.github.io", "pool.github.io"},       // a private suffix: one owner each
        {"pool.github.io", "pool.github.io"},
        {"github.io", "github.io"},
        {"eu.pool.xn--fiqs8s", "pool.xn--fiqs8s"},                      // 中国, in Punycode
        {"eu.XN--POL-SNA.xn--55qx5d.cn", "xn--pol-sna.xn--55qx5d.cn"},  // "公司.cn"
        {"localhost", "localhost"},
        {"10.0.0.1", "10.0.0.1"},
        {"10.0.1", "10.0.1"},  // addresses, too, for the system's resolver
        {"0x7f.1", "0x7f.1"},
        {"fe80::1", "fe80::1"},
        {"", ""},
        {".", ""},
    };
    for (const auto& [host, domain] : cases) {
        INFO(host);
        REQUIRE(domain_of(host) == domain);
    }
}

TEST_CASE("a pool does not send its miners to somebody else under the same public suffix", "[pool_url]") {
    const auto follows = [](const std::string& from, const std::string& to) {
        try {
            (void)redirected(parse_pool_url(from + ":3333"), to, 0);
            return true;
        } catch (const NetworkError&) {
            return false;
        }
    };
    REQUIRE(follows("eu.pool.co.uk", "US.Pool.co.uk."));
    REQUIRE_FALSE(follows("pool.co.uk", "evil.co.uk"));
    REQUIRE_FALSE(follows("pool.co.uk", "co.uk"));
    REQUIRE_FALSE(follows("pool.github.io", "evil.github.io"));
    REQUIRE_FALSE(follows("pool.com", "pool.org"));
    REQUIRE_FALSE(follows("pool.com", "com"));
    REQUIRE_FALSE(follows("localhost", "otherhost"));
    REQUIRE_FALSE(follows("10.0.0.1", "9.0.0.1"));
    REQUIRE_FALSE(follows("10.0.1", "9.0.1"));
    REQUIRE_FALSE(follows("pool.example", "pööl.example"));
}

TEST_CASE("pauses double up to a minute, each within a quarter of that", "[pool_url]") {
    Backoff backoff(milliseconds(5000), 42);
    const std::vector<int> expected = {5000, 10000, 20000, 40000, 60000, 60000};
    std::set<std::int64_t> different;
    for (const int pause : expected) {
        const auto next = backoff.next().count();
        REQUIRE(next >= pause * 3 / 4);
        REQUIRE(next <= pause * 5 / 4);
        different.insert(next);
    }
    REQUIRE(different.size() == expected.size());
    backoff.reset();
    REQUIRE(backoff.next() <= milliseconds(6250));
    for (int i = 0; i < 50; ++i) REQUIRE(backoff.soon() <= milliseconds(1000));
    Backoff slow(milliseconds(90'000), 1);
    REQUIRE(slow.next() >= milliseconds(67'500));
    REQUIRE(slow.next() >= milliseconds(67'500));
}

TEST_CASE("pools are tried in order, those that refuse the login left out", "[pool_url]") {
    PoolOptions options;
    for (const char* url : {"a.example:1", "b.example:2", "c.example:3"})
        options.pools.push_back({parse_pool_url(url), "u"});
    options.retries = 2;
    PoolSchedule failover(options, 7);
    const SteadyTime now = std::chrono::steady_clock::now();
    const auto round = [&](std::size_t limit) {
        std::vector<std::size_t> order;
        failover.begin_round(limit);
        while (const auto pool = failover.next(now)) order.push_back(*pool);
        return order;
    };
    REQUIRE(round(3) == std::vector<std::size_t>{0, 1, 2});
    failover.failed(0, false, "unreachable");
    failover.failed(1, true, "refused");
    REQUIRE(failover.pause_after_round(now));
    REQUIRE(round(3) == std::vector<std::size_t>{0, 2});
    REQUIRE(failover.pause_after_round(now));
    REQUIRE_FALSE(failover.pause_after_round(now));  // two retries are used up
    failover.logged_in(2, true);
    REQUIRE(round(2) == std::vector<std::size_t>{0, 1});
    for (std::size_t pool = 0; pool < 3; ++pool) failover.failed(pool, true, "no such user");
    REQUIRE_FALSE(failover.pause_after_round(now));
    REQUIRE_THAT(failover.sentence(), Catch::Matchers::ContainsSubstring("a.example:1") &&
                                          Catch::Matchers::ContainsSubstring("c.example:3") &&
                                          Catch::Matchers::ContainsSubstring("no such user"));
}

TEST_CASE("a pool that sends its miners about without end is no longer followed", "[pool_url]") {
    PoolOptions options;
    options.pools.push_back({parse_pool_url("a.pool.example:1"), "u"});
    PoolSchedule failover(options, 7);
    int followed = 0;
    while (failover.redirect(0, parse_pool_url("b.pool.example:1")) && followed < 100) ++followed;
    REQUIRE(followed < 10);
    REQUIRE(failover.url(0).host == "b.pool.example");
    failover.failed(0, false, "not there");
    REQUIRE(failover.url(0).host == "a.pool.example");
}

TEST_CASE("a SOCKS5 proxy's conversation, byte for byte", "[pool_url]") {
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
    REQUIRE_THROWS_WITH(refused->answer(received), Catch::Matchers::ContainsSubstring("wants a user"));
    const auto http = make_proxy_handshake(parse_proxy_url("p:1"), "pool", 1);
    received = "HTTP/1.1 400 Bad Request\r\n\r\n";
    REQUIRE_THROWS_WITH(http->answer(received), Catch::Matchers::ContainsSubstring("does not speak SOCKS5"));
    REQUIRE_THROWS_AS(make_proxy_handshake(parse_proxy_url("p:1"), std::string(256, 'x'), 1), NetworkError);
}

TEST_CASE("an HTTP proxy's conversation", "[pool_url]") {
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
