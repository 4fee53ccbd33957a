// Tests of addresses to listen on, as users write them.
#include "net/transport/listen_address.hpp"

#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

ListenAddress parse(const std::string& text) { return parse_listen_address("--http", text); }

}  // namespace

TEST_CASE("addresses to listen on") {
    CHECK(parse("8080").host == "127.0.0.1");
    CHECK(parse("8080").port == 8080);
    CHECK(parse("0").port == 0);
    CHECK(parse("localhost:80").host == "127.0.0.1");
    CHECK(parse("127.0.0.2:81").host == "127.0.0.2");
    CHECK(parse("[::1]:82").host == "::1");
    CHECK(parse("[::1]:82").port == 82);
    CHECK(parse("0.0.0.0:83").port == 83);
    CHECK(parse("unix:/run/user/1000/gpuminer.sock").path == "/run/user/1000/gpuminer.sock");
    CHECK(parse("unix:/a").is_unix());
    for (const char* local : {"1", "127.1.2.3:1", "[::1]:1", "unix:/a"}) CHECK(parse(local).is_local());
    for (const char* open : {"0.0.0.0:1", "[::]:1", "192.168.1.5:1", "[fe80::1]:1"})
        CHECK_FALSE(parse(open).is_local());
}

TEST_CASE("names under which a browser may have reached this machine") {
    const auto name = [](const std::string& text) { return parse_host_name("--http-host", text); };
    for (const char* text : {"miner.example", "Miner", "10.0.0.7", "fd00::7", "::1"}) CHECK(name(text) == text);
    CHECK(name("[fd00::7]") == "fd00::7");
    CHECK(name("FD00:0::7") == "fd00::7");  // as browsers write it
    CHECK(name("[fe80::1%1]") == "fe80::1");
    CHECK(without_zone("fe80::1%eth0") == "fe80::1");
    CHECK(without_zone("10.0.0.7") == "10.0.0.7");
    for (const char* text : {"miner.example:8080", "10.0.0.7:1", "[fd00::7]:8080", "miner:", "miner:x"}) {
        CAPTURE(text);
        CHECK(contains(input_error([&] { (void)name(text); }),
                       "--http-host: expected a name or an address without a port, got"));
    }
    for (const char* text :
         {"", "[]", "[miner]", "a b", "a:b:c", "[fd00::7", "fd00::7]", "http://miner.example:80", "x@y:1", "miner/x"}) {
        CAPTURE(text);
        CHECK(contains(input_error([&] { (void)name(text); }), "--http-host: expected a name or an address, got"));
    }
}

TEST_CASE("what is no address to listen on") {
    for (const char* text : {"", "x", "-1", "65536", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999",
                             "::1:80", "example.com:80", "http://127.0.0.1:80", "user@127.0.0.1:80",
                             "127.0.0.1:80/path", "*:80", "unix:", "unix:relative"}) {
        CAPTURE(text);
        CHECK(contains(input_error([&] { (void)parse(text); }), "--http: expected"));
    }
    CHECK(contains(input_error([] { (void)parse("unix:/" + std::string(200, 'a')); }), "at most 107 bytes"));
}
