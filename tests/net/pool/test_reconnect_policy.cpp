// Tests of the hosts that a pool may send its miners to (client.reconnect): those of its own domain, by the public
// suffix list.
#include "host/errors.hpp"
#include "net/pool/reconnect_policy.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

TEST_CASE("a pool may send its miners about within its domain") {
    const Endpoint from = parse_pool_url("stratum.pool.example:3333");
    REQUIRE(redirected(from, "", 0).host == "stratum.pool.example");
    REQUIRE(redirected(from, "", 4444).port == 4444);
    REQUIRE(redirected(from, "eu.pool.example", 0).host == "eu.pool.example");
    REQUIRE(redirected(from, "POOL.example", 443).text == "stratum+tcp://POOL.example:443");
    REQUIRE_THROWS_WITH(redirected(from, "evil.example", 0), Catch::Matchers::ContainsSubstring("another domain"));
    REQUIRE_THROWS_WITH(redirected(from, "127.0.0.1", 0), Catch::Matchers::ContainsSubstring("another domain"));
    REQUIRE_THROWS_WITH(redirected(from, "pool.example.evil.test", 0),
                        Catch::Matchers::ContainsSubstring("another domain"));
    REQUIRE_THROWS_WITH(redirected(from, "a b\n", 0), Catch::Matchers::ContainsSubstring("not a server's name"));
    REQUIRE_THROWS_WITH(redirected(from, std::string(5000, 'x'), 0),
                        Catch::Matchers::ContainsSubstring("not a server's name"));
    REQUIRE_THROWS_WITH(redirected(from, "stratum+tcp://pool.example", 1),
                        Catch::Matchers::ContainsSubstring("not a server's name"));

    const Endpoint tls = parse_pool_url("stratum+ssl://stratum.pool.example:3333");
    REQUIRE(redirected(tls, "eu.pool.example", 0).tls);
    REQUIRE(redirected(tls, "", 4444).text == "stratum+ssl://stratum.pool.example:4444");

    const Endpoint address = parse_pool_url("192.0.2.7:3333");
    REQUIRE(redirected(address, "192.0.2.7", 4).port == 4);
    REQUIRE_THROWS_AS(redirected(address, "192.0.2.8", 4), NetworkError);
    REQUIRE_THROWS_AS(redirected(address, "1.2.7", 4), NetworkError);
}

TEST_CASE("domains") {
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

TEST_CASE("a pool does not send its miners to somebody else under the same public suffix") {
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
    REQUIRE_FALSE(follows("mypool.duckdns.org", "evil.duckdns.org"));
    REQUIRE_FALSE(follows("pool.s3.amazonaws.com", "evil.s3.amazonaws.com"));
    REQUIRE_FALSE(follows("pool.asso.fr", "evil.asso.fr"));
    REQUIRE(follows("eu.mypool.duckdns.org", "us.mypool.duckdns.org"));
    REQUIRE_FALSE(follows("pool.com", "pool.org"));
    REQUIRE_FALSE(follows("pool.com", "com"));
    REQUIRE_FALSE(follows("localhost", "otherhost"));
    REQUIRE_FALSE(follows("10.0.0.1", "9.0.0.1"));
    REQUIRE_FALSE(follows("10.0.1", "9.0.1"));
    REQUIRE_FALSE(follows("pool.example", "pööl.example"));
}
