// Tests of client.reconnect: calls that are followed, calls that are not, and their number.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

// A pool that asks to connect elsewhere, once logged in; the first so many times.
PoolTraits redirecting(const json& params, int times = 1) {
    PoolTraits traits;
    traits.after_login = [params, times](Wire& wire) {
        if (wire.side.number > times) return;
        wire.reply(call("client.reconnect", params));
    };
    return traits;
}

}  // namespace

TEST_CASE("client.reconnect within the domain is followed", "[pool_reconnect]") {
    Stage stage;
    ScriptedPool target(stage);
    ScriptedPool first(stage, redirecting({"pool0.example.com", 3333, 0}));
    PoolMiner miner(pool_options(stage, {first.place()}));
    REQUIRE(eventually([&] { return contains(miner->status().server, target.place()) && miner->status().connected; }));
    REQUIRE(miner.said("asks to connect to stratum+tcp://" + target.place()));
    miner.mine();
    REQUIRE(eventually([&] { return target.count("accepted") == 1; }));
}

TEST_CASE("what comes in one piece with client.reconnect, behind it, is left", "[pool_reconnect]") {
    Stage stage;
    ScriptedPool target(stage);
    PoolTraits traits;
    traits.after_login = [&](Wire& wire) {
        const std::string message = call("client.show_message", json::array({"too late"}));
        std::string bytes = call("client.reconnect", {"pool0.example.com", 3333}) + "\n";
        for (int i = 0; i < 5; ++i) bytes += message + "\n";  // they come in two pieces
        wire.send_bytes(bytes);
    };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(eventually([&] { return target.connections() == 1 && miner->status().connected; }));
    REQUIRE_FALSE(miner.said("too late"));
}

TEST_CASE("client.reconnect without a host means the same one", "[pool_reconnect]") {
    Stage stage;
    ScriptedPool pool(stage, redirecting(json::array()));
    PoolOptions options = pool_options(stage, {pool.place()});
    options.redirect = GENERATE(true, false);  // it is no redirection
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return pool.connections() == 2 && miner->status().connected; }));
    REQUIRE(pool.requests("mining.subscribe").back()["params"].size() == 2);
}

TEST_CASE("client.reconnect to strangers is not followed", "[pool_reconnect]") {
    Stage stage;
    json params;
    std::string why = "another domain";
    bool redirect = true;
    SECTION("another address") { params = json::array({"192.0.2.2", 3333}); }
    SECTION("another name") { params = json::array({"evil.example", 3333}); }
    SECTION("another port, but --no-redirect") {
        params = json::array({"pool0.example.com", 1});
        redirect = false;
        why = "--no-redirect";
    }
    ScriptedPool pool(stage, redirecting(params, 1000));
    PoolOptions options = pool_options(stage, {pool.place()});
    options.redirect = redirect;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.warned(why); }));
    REQUIRE(miner.has_job());
    miner.mine(2);
    REQUIRE(eventually([&] { return miner->status().accepted == 2; }));
    REQUIRE(pool.connections() == 1);
}

TEST_CASE("client.reconnect never leads from TLS to a plain connection", "[pool_reconnect]") {
    Stage stage;
    ScriptedPool plain(stage);
    PoolTraits traits = redirecting({"pool0.example.com", 3333});
    traits.tls = true;
    ScriptedPool secure(stage, traits);
    PoolMiner miner(pool_options(stage, {"stratum+ssl://" + secure.place()}));
    REQUIRE(eventually([&] { return plain.connections() > 0 && secure.connections() == 2; }));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return secure.count("accepted") == 1; }));
    REQUIRE(plain.messages().empty());
}

TEST_CASE("a redirection that leads nowhere comes back to the pool", "[pool_reconnect]") {
    Stage stage;
    (void)closed_place(stage);  // pool 0
    ScriptedPool pool(stage, redirecting({"pool0.example.com", 3333}));
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(eventually([&] { return pool.connections() == 2 && miner->status().connected; }));
    REQUIRE(miner->status().server == pool.place());
}

TEST_CASE("pools that send each other their miners are not followed for ever", "[pool_reconnect]") {
    Stage stage;
    const auto redirecting_to = [](const std::string& other) {
        PoolTraits traits;
        traits.intercept = [other](Wire& wire, const json& message) {
            if (message["method"] == "mining.configure") wire.reply(call("client.reconnect", {other, 3333}));
            return false;
        };
        return traits;
    };
    ScriptedPool one(stage, redirecting_to("pool1.example.com"));
    ScriptedPool two(stage, redirecting_to("pool0.example.com"));
    PoolMiner miner(pool_options(stage, {one.place()}));
    REQUIRE(eventually([&] { return miner->status().connected; }));
    REQUIRE(one.connections() + two.connections() < 12);
}
