// Tests of access control: hosts and origins (DNS rebinding, pages of others), tokens and cookies.
#include "web/access.hpp"

#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::web;
using net::ServerRequest;

namespace {

const std::string kToken = "0123456789abcdef-token";

ServerRequest from(const std::string& host, const std::string& origin = "") {
    ServerRequest request;
    request.host = host;
    request.origin = origin;
    request.local_address = "192.168.1.5";
    return request;
}

}  // namespace

TEST_CASE("hosts that are this machine") {
    const Access access({.token = kToken, .open_reads = true, .extra_hosts = {"Miner.example", "10.0.0.7", "fd00::7"}});
    for (const char* host :
         {"127.0.0.1", "127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080", "192.168.1.5:80", "miner.example",
          "MINER.EXAMPLE:443", "miner.example.:80", "10.0.0.7:1", "[fd00::7]:1"}) {
        CAPTURE(host);
        CHECK(access.host_is_ours(from(host)));
    }
    for (const char* host :
         {"", "evil.example", "127.0.0.1.evil.example", "192.168.1.6", "localhost.evil.example", "evil.localhost",
          "miner.example.evil", "evil.example@127.0.0.1", "127.0.0.1:80/x", "http://127.0.0.1", "[::2]", "::1",
          "127.0.0.1 evil", "127.0.0.1:x:y", "localhost:808x", "localhost:"}) {
        CAPTURE(host);
        CHECK_FALSE(access.host_is_ours(from(host)));
    }
}

TEST_CASE("origins that are this page's") {
    const Access access({.token = kToken, .open_reads = true, .extra_hosts = {"miner.example"}});
    CHECK(access.host_is_ours(from("localhost:8080", "http://localhost:8080")));
    CHECK(access.host_is_ours(from("miner.example", "https://miner.example")));  // behind a proxy with TLS
    for (const char* origin : {"null", "http://localhost", "http://localhost:8081", "http://evil.example",
                               "https://localhost:8080.evil.example", "localhost:8080", "file://"}) {
        CAPTURE(origin);
        CHECK_FALSE(access.host_is_ours(from("localhost:8080", origin)));
    }
}

TEST_CASE("who knows the token") {
    const Access access({.token = kToken, .open_reads = false, .extra_hosts = {}});
    const auto with = [&](const std::string& authorization, const std::string& cookie) {
        ServerRequest request = from("localhost");
        request.authorization = authorization;
        request.cookie = cookie;
        return access.knows_token(request);
    };
    const std::string set = access.cookie(), cookie = set.substr(0, set.find(';'));
    CHECK(with("Bearer " + kToken, ""));
    CHECK(with("bearer  " + kToken + " ", ""));
    CHECK(with("", cookie));
    CHECK(with("", "other=1; " + cookie + "; more=2"));
    CHECK_FALSE(with("", ""));
    CHECK_FALSE(with("Bearer " + kToken + "x", ""));
    CHECK_FALSE(with("Bearer " + kToken.substr(1), cookie));  // the field counts where there is one
    CHECK_FALSE(with("Basic " + kToken, ""));
    CHECK_FALSE(with(kToken, ""));
    const std::string name = cookie.substr(0, cookie.find('='));
    CHECK_FALSE(with("", name + "=" + kToken));
    CHECK_FALSE(with("", name + "="));
    CHECK_FALSE(with("", name));
    CHECK_FALSE(with("", "x" + cookie));
    CHECK_FALSE(with("", cookie + "0"));

    CHECK(set.find(kToken) == std::string::npos);
    for (const char* part : {"; Path=/", "; HttpOnly", "; SameSite=Strict"}) CHECK(set.find(part) != std::string::npos);
    CHECK(Access({.token = kToken, .open_reads = true, .extra_hosts = {}}).cookie() == set);  // after a restart
    CHECK(Access({.token = kToken + "2", .open_reads = true, .extra_hosts = {}}).cookie() != set);
    CHECK(access.is_token(kToken));
    CHECK_FALSE(access.is_token(""));
    CHECK_FALSE(access.may_read(from("localhost")));
}

TEST_CASE("what a proxy may have passed on is read with the token, except through a Unix socket") {
    ServerRequest plain = from("localhost"), forwarded = plain;
    forwarded.is_forwarded = true;
    const auto may_read = [](const std::vector<std::string>& hosts, bool open_reads, ServerRequest request) {
        const Access access({.token = kToken, .open_reads = open_reads, .extra_hosts = hosts});
        ServerRequest with_token = request;
        with_token.authorization = "Bearer " + kToken;
        CHECK(access.may_read(with_token));
        return access.may_read(request);
    };
    CHECK(may_read({}, true, plain));
    CHECK_FALSE(may_read({}, true, forwarded));
    CHECK_FALSE(may_read({"miner.example"}, true, plain));  // whatever its Host: proxies change that
    CHECK_FALSE(may_read({"miner.example"}, true, forwarded));
    for (ServerRequest* request : {&plain, &forwarded}) {
        CHECK_FALSE(may_read({}, false, *request));
        request->local_address = "";
        CHECK(may_read({"miner.example"}, true, *request));
    }
}

TEST_CASE("two miners on one host leave each other's sessions alone, and a cookie of another path is in nobody's way") {
    const Access first({.token = kToken, .open_reads = false, .extra_hosts = {}});
    const Access second({.token = kToken + "2", .open_reads = false, .extra_hosts = {}});
    const auto pair_of = [](const Access& access) { return access.cookie().substr(0, access.cookie().find(';')); };
    const auto name_of = [&](const Access& access) { return pair_of(access).substr(0, pair_of(access).find('=')); };
    CHECK(name_of(first).starts_with("gpuminer_session_"));
    CHECK(name_of(first).size() == std::string("gpuminer_session_").size() + 8);
    CHECK(name_of(first) != name_of(second));
    ServerRequest request = from("localhost");
    request.cookie = name_of(first) + "=stale; " + pair_of(second) + "; " + pair_of(first);
    CHECK(first.knows_token(request));
    CHECK(second.knows_token(request));
}

TEST_CASE("without a token nobody knows one") {
    const Access access({.token = "", .open_reads = true, .extra_hosts = {}});
    ServerRequest request = from("localhost");
    CHECK(access.may_read(request));
    for (const char* text : {"", "Bearer", "Bearer ", "Bearer x"}) {
        request.authorization = text;
        CHECK_FALSE(access.knows_token(request));
    }
    request.authorization = "";
    for (const char* cookie : {"gpuminer_session=", "gpuminer_session_="}) {
        request.cookie = cookie;
        CHECK_FALSE(access.knows_token(request));
    }
    CHECK_FALSE(access.is_token(""));
}
