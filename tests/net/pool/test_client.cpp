// Tests of the client with one server: login, messages, servers that are no pools.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

TEST_CASE("logging in, and what the user is told", "[pool_client]") {
    Stage stage;
    PoolTraits traits;
    traits.difficulty = 0.0017;  // 7.3 s at 1 MH/s
    ScriptedPool pool(stage, traits);
    PoolOptions options = pool_options(stage, {pool.place()});
    options.pools[0].user = "bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c.rig";
    options.pools[0].password = "very secret";
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    REQUIRE(eventually([&] { return miner.said("logged in to " + pool.place() + " as bcrt1q"); }));
    INFO(miner.all_said());
    REQUIRE(miner.said("difficulty 0.0017, a share every 7.3 s at 1.00 MH/s"));
    // The fake pool's coinbase pays twenty times 0x11, which is this address.
    REQUIRE(eventually(
        [&] { return miner.said("the coinbase pays bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c 50 BTC of 50 BTC"); }));
    REQUIRE(miner.said("the coinbase does not follow BIP 54 (nLockTime = height - 1, nSequence other than ffffffff)"));
    REQUIRE_FALSE(miner.warned("BIP 54"));  // no rule on this chain
    REQUIRE(miner->status().details->at("bip54") == false);
    REQUIRE_FALSE(miner.said("secret"));
    REQUIRE_FALSE(contains(miner->status().details->dump(), "secret"));
    REQUIRE_FALSE(contains(json(stage.journal()).dump(), "secret"));
    REQUIRE(pool.requests("mining.authorize")[0]["params"] == json({options.pools[0].user, "very secret"}));
    REQUIRE(miner->status().connected);
    REQUIRE(miner->status().server == pool.place());
    REQUIRE(miner->status().difficulty == Approx(0.0017));
    REQUIRE(miner->status().network_difficulty == Approx(1));
}

TEST_CASE("an address as user name that is mistyped or of another network gets a warning", "[pool_client]") {
    struct Row {
        const char *user, *nbits, *warning;
    };
    const Row row = GENERATE(
        Row{"bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6d.rig", "207fffff",
            "a character may be mistyped; nobody would be paid for your shares"},
        Row{"0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe.rig", "17034e2a", "is an Ethereum address"},
        Row{"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", "17034e2a", "its checksum is wrong"},
        Row{"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "207fffff", "of the main network, but this pool mines"},
        Row{"bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c", "17034e2a", "of a test network, but this pool mines"},
        Row{"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "17034e2a", nullptr},
        Row{"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "1a0fffff", "of the main network, but"},  // testnet5's least
        Row{"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "19033d69", nullptr},  // testnet4 in September 2026
        Row{"bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c", "207fffff", nullptr}, Row{"miner.1", "17034e2a", nullptr},
        Row{"3rdFloorLeft", "17034e2a", nullptr});
    CAPTURE(row.user);
    Stage stage;
    PoolTraits traits;
    traits.nbits = row.nbits;
    ScriptedPool pool(stage, traits);
    PoolOptions options = pool_options(stage, {pool.place()});
    options.pools[0].user = row.user;
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    REQUIRE(eventually([&] { return miner.said("logged in to"); }));
    if (row.warning != nullptr) {
        REQUIRE(eventually([&] { return miner.said(row.warning); }));
    } else {
        REQUIRE_FALSE(miner.said("checksum"));
        REQUIRE_FALSE(miner.said("but this pool mines"));
    }
}

TEST_CASE("the difficulty suggested is the user's, or one share in 7.5 s", "[pool_client]") {
    Stage stage;
    ScriptedPool pool(stage);
    PoolOptions options = pool_options(stage, {pool.place()});
    const bool measured = GENERATE(true, false);
    if (measured) options.suggest_difficulty.reset();
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    // Before the first job, and again after the login.
    REQUIRE(eventually([&] { return pool.requests("mining.suggest_difficulty").size() == 2; }));
    const double suggested = pool.requests("mining.suggest_difficulty")[0]["params"][0].get<double>();
    REQUIRE(suggested == Approx(measured ? 1e6 * 7.5 / 4294967296.0 : 0.001));
}

TEST_CASE("shares that take more than an hour are warned of", "[pool_client]") {
    Stage stage;
    PoolTraits traits;
    traits.difficulty = 100'000;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(eventually([&] { return miner.warned("--suggest-diff"); }));
}

TEST_CASE("servers that are no pools", "[pool_client]") {
    Stage stage;
    const std::string answer = GENERATE(as<std::string>{}, "HTTP/1.1 400 Bad Request\r\n\r\n", "\n\n\n[[[[[[\n",
                                        "{\"id\":1,\"result\":[],\"error\":null}\n{\"id\":2,\"result\":7}\n",
                                        "{\"method\":\"mining.notify\",\"params\":{}}\n\x01\x02\xff\n");
    PoolTraits traits;
    traits.intercept = [&](Wire& wire, const json&) {
        wire.send_bytes(answer);
        wire.hang_up();
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolOptions options = pool_options(stage, {pool.place()});
    options.retries = 1;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(contains(miner.over()->second, pool.place()));
    for (const char c : miner.all_said()) REQUIRE((c == '\n' || (c >= 0x20 && c < 0x7f)));
}
