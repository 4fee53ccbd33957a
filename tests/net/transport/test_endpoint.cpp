// Endpoints as users write them: URLs of pools and proxies.
#include "net/transport/endpoint.hpp"

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/url.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

TEST_CASE("pool URLs") {
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
        {"stratums://pool.example:443", "pool.example", 443, true},
        {"stratum+tcp://pool.example:3333#xnsub", "pool.example", 3333, false},
        {"stratum+tcp://pool.example:3333/#xnsub", "pool.example", 3333, false},
        {"stratum+ssl://[::1]:443#xnsub", "::1", 443, true},
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

TEST_CASE("what is no pool URL, and why") {
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
        {"pool.example:3333/path", "no path, and this one has '/path'"},
        {"pool.example:3333/path/#xnsub", "no path, and this one has '/path/'"},
        {"pool.example:3333/path\n?query", "no path, and this one has '/path\\x0a'"},
        {"pool.example:3333//", "no path, and this one has '//'"},
        {"pool.example:3333#other", "no fragment but #xnsub, and this one has '#other'"},
        {"pool.example:3333/#other", "no fragment but #xnsub, and this one has '#other'"},
        {"pool.example:3333/#XNSUB", "no fragment but #xnsub, and this one has '#XNSUB'"},
        {"pool.example:3333/#xnsub/", "no fragment but #xnsub, and this one has '#xnsub/'"},
        {"pool.example:3333#", "no fragment but #xnsub, and this one has '#'"},
        {"pool.example:3333?x=1", "no query, and this one has '?x=...'"},
        {"pool.example:3333/?x=1#xnsub", "no query, and this one has '?x=...'"},
        {"pool.example:3333/?xnsub", "no query, and this one has '?...'"},
        {"pool.example:3333/?", "no query, and this one has '?'"},
        {"pool.example#xnsub", "no port"},
        {"user@pool.example:3333", "options of their own"},
        {"::1:3333", "brackets"},
        {"[::1]3333", "other than a port"},
        {"[::1:3333", "not closed"},
        {"[pool]:3333", "IPv6"},
        {"pool example:3333", "character"},
        {"pool\nexample:3333", "character"},
        {"pool..example:3333", "empty part"},
        {".example:3333", "empty part"},
        {std::string(300, 'a') + ":1", "too long"},
        {"http://pool.example:8332", "gpuminer solo"},
        {"stratum2+ssl://pool.example:3336", "encrypted always"},
        {"stratum2+tcp://pool.example:3336/abc", "the authority key: "},
        {"stratum2+tcp://pool.example:3336#xnsub", "the authority key: "},
        {"stratum2+tcp://pool.example/9auqWEzQDVyd2oe1JVGFLMLHZtCo2FFqZwtKA5gd9xbuEu7PH72", "no port"},
        {"gopher://pool.example:70", "stratum+tcp://"},
    };
    for (const auto& [text, why] : cases) {
        INFO(text);
        REQUIRE_THROWS_WITH(parse_pool_url(text), Catch::Matchers::ContainsSubstring(why));
        REQUIRE_THROWS_AS(parse_pool_url(text), InputError);
    }
}

TEST_CASE("a Stratum V2 pool's URL may name its authority") {
    const Endpoint with =
        parse_pool_url("stratum2+tcp://pool.example:3336/9auqWEzQDVyd2oe1JVGFLMLHZtCo2FFqZwtKA5gd9xbuEu7PH72");
    REQUIRE(with.stratum_v2);
    REQUIRE_FALSE(with.tls);
    REQUIRE(with.text == "stratum2+tcp://pool.example:3336");
    REQUIRE(canonical_url(with) == with.text);
    REQUIRE(to_hex(with.authority.value()) == "24ee3c3804a1aaa4c03b80ea19f7a5863c916e8994b7db94a3bad7ee092b6ce7");
    for (const char* const text : {"stratum2+tcp://pool.example:3336", "stratum2+tcp://pool.example:3336/"}) {
        const Endpoint without = parse_pool_url(text);
        REQUIRE(without.stratum_v2);
        REQUIRE_FALSE(without.authority);
        REQUIRE(without.port == 3336);
    }
    REQUIRE_FALSE(parse_pool_url("stratum+tcp://pool.example:3333").stratum_v2);
}

TEST_CASE("no message shows the login that a pool's URL may hold") {
    for (const std::string url :
         {"stratum+tcp://user:sekrit@host:3333", "user:sekrit@host:3333", "http://user:sekrit@host:3333",
          "gopher://user:sekrit@host:3333", "stratum2+tcp://user:sekrit@host:1", "a:sekrit@x://host:3333",
          "tcp://[user]:sekrit@host:3333", "[a:b]:sekrit@host:3333", "u:p@sekrit@host:3333"}) {
        INFO(url);
        REQUIRE_THROWS_WITH(parse_pool_url(url), !Catch::Matchers::ContainsSubstring("sekrit") &&
                                                     Catch::Matchers::ContainsSubstring("host"));
        REQUIRE_THROWS_WITH(parse_pool_url(url), !Catch::Matchers::ContainsSubstring("user:"));
    }
    REQUIRE_THROWS_WITH(
        parse_pool_url("stratum+tcp://user:sekrit@host:3333"),
        Catch::Matchers::ContainsSubstring("'stratum+tcp://host:3333': user and password have options of their own"));
}

TEST_CASE("no message shows what may be a password in a URL that lacks something") {
    for (const std::string url : {"stratum+tcp://user:sekrit", "user:sekrit", "user:sekrit@host", "user:p@sekrit",
                                  "stratum+tcp://u:p@sekrit", "stratum+tcp://host:1#x?pass=sekrit", "host:1/x?sekrit",
                                  "host:1?sekrit", "http://user:sekrit", "ftp://user:sekrit", "user:sekrit://host:0",
                                  "stratum2+tcp://user:sekrit", "tcp://[user]:sekrit", "tcp://[::1]sekrit"}) {
        INFO(url);
        REQUIRE_THROWS_WITH(parse_pool_url(url), !Catch::Matchers::ContainsSubstring("sekrit"));
        REQUIRE_THROWS_WITH(parse_proxy_url(url), !Catch::Matchers::ContainsSubstring("sekrit"));
    }
    REQUIRE_THROWS_WITH(parse_pool_url("tcp://pool.example:x1"),
                        Catch::Matchers::ContainsSubstring("'tcp://pool.example'"));
}

TEST_CASE("hosts that are this machine") {
    for (const char* host : {"localhost", "LocalHost.", "pool.localhost", "127.0.0.1", "127.255.1.2", "127.1", "::1"}) {
        INFO(host);
        REQUIRE(is_local_host(host));
    }
    for (const char* host : {"", "host", "localhost.example", "xlocalhost", "128.0.0.1", "10.0.0.1", "0.0.0.0",
                             "::", "::2", "fe80::1", "127.0.0.1.example"}) {
        INFO(host);
        REQUIRE_FALSE(is_local_host(host));
    }
}

TEST_CASE("proxy URLs") {
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
    for (const char* url : {"proxy:1080/path", "proxy:1080?x=1", "proxy:1080#x"})
        REQUIRE_THROWS_WITH(parse_proxy_url(url), Catch::Matchers::ContainsSubstring("such a URL ends with its port"));
    REQUIRE_THROWS_WITH(parse_proxy_url("socks4://proxy:1080"), Catch::Matchers::ContainsSubstring("socks5://"));
    REQUIRE_THROWS_WITH(parse_proxy_url("socks5://me:secret@proxy"), !Catch::Matchers::ContainsSubstring("secret"));
    REQUIRE_THROWS_WITH(parse_proxy_url("socks5://me:secret@proxy:0"), !Catch::Matchers::ContainsSubstring("secret"));
    REQUIRE_THROWS_WITH(parse_proxy_url("socks5://:secret@proxy:1"), !Catch::Matchers::ContainsSubstring("secret"));
    REQUIRE_THROWS_AS(parse_proxy_url("socks5://" + std::string(256, 'u') + ":p@proxy:1"), InputError);
}
