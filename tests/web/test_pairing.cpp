// Tests of pairing: how long a one-time secret is valid and for whom, and the address that a phone is told.
#include "web/pairing.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/transport/own_address.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/web/sample.hpp"
#include "web/api.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::web;
using Answer = Pairing::Answer;

namespace {

net::SteadyTime the_time;
net::SteadyTime test_time() { return the_time; }

constexpr const char* kPairingToken = "0123456789abcdef-token";

struct PairingApi {
    explicit PairingApi(const std::string& token = kPairingToken)
        : api(monitor, {.token = token, .open_reads = false, .extra_hosts = {}}, [this] { return phone; }) {}

    net::ServerReply post(const std::string& path, const std::string& body, bool with_token = false,
                          const std::string& origin = "") {
        net::ServerRequest request;
        request.method = "POST";
        request.path = path;
        request.host = "192.168.1.7:8080";
        request.local_address = "192.168.1.7";
        request.origin = origin;
        request.body = body;
        if (with_token) request.authorization = std::string("Bearer ") + kPairingToken;
        return api.answer(request);
    }
    net::ServerReply pair(const std::string& secret, const std::string& origin = "") {
        return post("/api/v1/pair", nlohmann::json{{"secret", secret}}.dump(), false, origin);
    }

    PhoneAddress phone{"http://192.168.1.7:8080/", ""};
    Monitor monitor{{.command = "pool", .has_server = true}};
    Api api;
};

}  // namespace

TEST_CASE("a secret has 128 bits for a link and eight digits to type, and is another one each time") {
    Pairing pairing(test_time);
    std::set<std::string> words, digits;
    for (int i = 0; i < 100; ++i) {
        const Pairing::Secret secret = pairing.begin();
        CHECK(secret.word.size() == 22);
        CHECK(secret.word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
              std::string::npos);
        CHECK(secret.digits.size() == 8);
        CHECK(secret.digits.find_first_not_of("0123456789") == std::string::npos);
        words.insert(secret.word);
        digits.insert(secret.digits);
    }
    CHECK(words.size() == 100);
    CHECK(digits.size() > 95);
}

TEST_CASE("either form lets one browser in, within two minutes") {
    Pairing pairing(test_time);
    CHECK(pairing.try_secret("") == Answer::kNoneValid);
    CHECK(pairing.try_secret(pairing.begin().word) == Answer::kRight);
    const std::string used = pairing.begin().digits;
    CHECK(pairing.try_secret(used) == Answer::kRight);
    CHECK(pairing.try_secret(used) == Answer::kNoneValid);

    const std::string late = pairing.begin().digits;
    the_time += Pairing::kValidity;
    CHECK(pairing.try_secret(late) == Answer::kNoneValid);
    const std::string in_time = pairing.begin().digits;
    the_time += Pairing::kValidity - std::chrono::nanoseconds(1);
    CHECK(pairing.try_secret(in_time) == Answer::kRight);
}

TEST_CASE("a new secret ends the last one, and so do five wrong ones") {
    Pairing pairing(test_time);
    const std::string first = pairing.begin().word, second = pairing.begin().word;
    CHECK(pairing.try_secret(first) == Answer::kWrong);
    for (int i = 0; i < 3; ++i) CHECK(pairing.try_secret("1234567") == Answer::kWrong);
    CHECK(pairing.try_secret("") == Answer::kWrong);
    CHECK_FALSE(pairing.is_valid());
    CHECK(pairing.try_secret(second) == Answer::kNoneValid);
}

TEST_CASE("the API gives the session's cookie for a secret, never the token") {
    PairingApi fixture;
    CHECK(fixture.pair("12345678").status == 404);
    CHECK(fixture.post("/api/v1/pair", "no JSON").status == 404);
    CHECK(fixture.post("/api/v1/pairing", "").status == 401);
    const auto told = nlohmann::json::parse(*fixture.post("/api/v1/pairing", "", true).body);
    CHECK(told["address"] == "http://192.168.1.7:8080/");
    CHECK(told["reason"].is_null());
    CHECK(told["seconds"] == 120);
    CHECK(fixture.post("/api/v1/pair", "no JSON").status == 400);
    CHECK(fixture.pair(told["digits"], "http://evil.example").status == 403);
    const net::ServerReply paired = fixture.pair(told["digits"], "http://192.168.1.7:8080");
    CHECK(paired.status == 200);
    CHECK_FALSE(contains(*paired.body, kPairingToken));
    const auto cookie =
        std::ranges::find(paired.headers, "Set-Cookie", [](const auto& header) { return header.first; });
    REQUIRE(cookie != paired.headers.end());
    CHECK(cookie->second == Access({.token = kPairingToken, .extra_hosts = {}}).cookie());
    CHECK(fixture.pair(told["secret"]).status == 404);

    fixture.phone = {"", "no network"};
    const auto nowhere = nlohmann::json::parse(*fixture.post("/api/v1/pairing", "", true).body);
    CHECK(nowhere["address"].is_null());
    CHECK(nowhere["reason"] == "no network");
}

TEST_CASE("without a token there is no session to give") {
    PairingApi fixture("");
    CHECK_FALSE(fixture.api.offer_pairing());
    CHECK(fixture.post("/api/v1/pairing", "", true).status == 401);
    CHECK(fixture.pair("").status == 404);
}

TEST_CASE("an address for others is the default route's, and none that others cannot reach") {
    using net::choose_address;
    const std::vector<net::InterfaceAddress> all = {
        {"lo", "127.0.0.1"},      {"docker0", "172.17.0.1"}, {"eth1", "169.254.7.7"},       {"wlan0", "fe80::1"},
        {"wlan0", "2001:db8::7"}, {"wlan0", "192.168.1.7"},  {"br-0123456789", "10.0.0.1"}, {"eth0", "192.168.2.7"}};
    CHECK(choose_address({"192.168.2.7", "2001:db8::7"}, all) == "192.168.2.7");
    CHECK(choose_address({"2001:db8::7"}, all) == "2001:db8::7");
    CHECK(choose_address({"172.17.0.1"}, all) == "192.168.1.7");
    CHECK(choose_address({}, all) == "192.168.1.7");
    CHECK(choose_address({}, {all.begin(), all.begin() + 5}) == "2001:db8::7");
    CHECK(choose_address({"127.0.0.1"}, {all.begin(), all.begin() + 4}).empty());
    CHECK(net::is_own_address("127.0.0.1"));
    CHECK(net::is_own_address("::FFFF:127.0.0.1"));  // the same, as a dual-stack socket writes it
    CHECK(net::address_for_others("127.0.0.1").empty());
    CHECK(net::address_for_others("0.0.0.0").find(':') == std::string::npos);
    CHECK_FALSE(net::is_own_address("192.0.2.1"));
}

TEST_CASE("the phone's address, or why there is none") {
    const std::string place = "http://0.0.0.0:8088/";
    const net::ListenAddress everywhere{.host = "0.0.0.0", .port = 8088};
    CHECK(contains(phone_address({.path = "/run/g.sock"}, "/run/g.sock", {}, false).reason, "Unix socket"));
    CHECK(contains(phone_address({.host = "127.0.0.1", .port = 8088}, "http://127.0.0.1:8088/", {}, false).reason,
                   "--http 0.0.0.0:PORT"));
    CHECK(contains(phone_address(everywhere, place, {}, true).reason, "--http-host"));
    CHECK(phone_address(everywhere, place, {"miner.example", "other"}, true).url == "http://miner.example:8088/");
    CHECK(phone_address(everywhere, place, {"fd00::7"}, true).url == "http://[fd00::7]:8088/");
    const PhoneAddress here = phone_address(everywhere, place, {}, false);
    CHECK(here.url.empty() != here.reason.empty());
}
