// Tests of the limits after which a connection or a pool is given up: refusals, and silence.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

// Takes the first login and cuts that connection; refuses those from the second to `last_refused`.
PoolTraits refusing_after_a_login(int last_refused) {
    PoolTraits traits;
    traits.after_login = [](Wire& wire) {
        if (wire.side.number == 1) wire.hang_up();
    };
    traits.intercept = [last_refused](Wire& wire, const json& message) {
        const int number = wire.side.number;
        if (message["method"] != "mining.authorize" || number == 1 || number > last_refused) return false;
        wire.reply(refusal(message, {24, "Database is away", nullptr}));
        return true;
    };
    return traits;
}

PoolTraits silent() {
    PoolTraits traits;
    traits.intercept = [](Wire&, const json&) { return true; };
    return traits;
}

constexpr std::chrono::seconds kPatience{10};

}  // namespace

TEST_CASE("a pool that has taken the login once may refuse it for a while", "[pool_patience]") {
    Stage stage;
    ScriptedPool pool(stage, refusing_after_a_login(3));
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(eventually([&] { return miner.over() || (pool.connections() == 4 && miner->status().connected); }));
    REQUIRE_FALSE(miner.over());
    REQUIRE(miner.said_times("Database is away") == 2);
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
}

TEST_CASE("a refusal after a login counts as an attempt", "[pool_patience]") {
    Stage stage;
    ScriptedPool pool(stage, refusing_after_a_login(1000));
    PoolOptions options = pool_options(stage, {pool.place()});
    options.retries = 2;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(pool.connections() == 4);  // the first, one more, two retries
}

TEST_CASE("a pool that owes no answer may be silent for longer", "[pool_patience]") {
    Stage stage;
    ScriptedPool pool(stage);
    PoolTiming timing = quick();
    timing.wait_for_answer = kPatience;
    PoolMiner miner(pool_options(stage, {pool.place()}), timing);
    REQUIRE(miner.has_job());
    stage.pass(3 * kPatience);
    REQUIRE(miner->status().connected);
    REQUIRE(pool.connections() == 1);
}

TEST_CASE("a pool that says nothing for long is dead", "[pool_patience]") {
    Stage stage;
    PoolTraits traits;
    const bool owes_login = GENERATE(true, false);
    traits.intercept = [&](Wire& wire, const json& message) {
        const char* const unanswered = owes_login ? "mining.authorize" : "mining.submit";
        if (wire.side.number > 1 || message["method"] != unanswered) return false;
        wire.fall_silent();
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolTiming timing = quick();
    timing.wait_for_answer = kPatience;
    PoolMiner miner(pool_options(stage, {pool.place()}), timing);
    REQUIRE(miner.has_job());
    if (!owes_login) miner.mine();
    REQUIRE(eventually([&] { return pool.connections() >= 2; }));
    REQUIRE(miner.warned("has sent nothing for"));
}

TEST_CASE("a server that takes the connection and says nothing is named", "[pool_patience]") {
    Stage stage;
    ScriptedPool pool(stage, silent());
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(eventually([&] {
        return miner.warned(pool.place() + " has accepted the connection and is silent; does that port speak TLS");
    }));
}

TEST_CASE("a port that speaks TLS is told of as one", "[pool_patience]") {
    Stage stage;
    PoolTraits traits;
    traits.tls = true;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(eventually([&] { return miner.warned("; the URL of a port with TLS begins with stratum+ssl://"); }));
}

TEST_CASE("a server that sends empty lines alone is named, and left", "[pool_patience]") {
    Stage stage;
    PoolTraits traits;
    std::function<void(std::shared_ptr<Wire>)> go_on = [&](const std::shared_ptr<Wire>& wire) {
        wire->reply("");
        if (wire->open()) stage.world.time.after(std::chrono::seconds(1), [&go_on, wire] { go_on(wire); });
    };
    traits.intercept = [&](Wire& wire, const json& message) {
        if (message["method"] == "mining.configure") go_on(wire.shared_from_this());
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolTiming timing = quick();
    timing.wait_for_answer = kPatience;
    PoolMiner miner(pool_options(stage, {pool.place()}), timing);
    REQUIRE(eventually([&] { return miner.warned("is silent; does that port speak TLS"); }));
    REQUIRE(eventually([&] { return miner.warned("has sent nothing for"); }));
}

TEST_CASE("while there is no job because it could not be read, the status says so", "[pool_patience]") {
    Stage stage;
    PoolTraits traits;
    traits.after_login = [&](Wire& wire) { wire.reply(call("mining.notify", {"2", "no hash"})); };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(eventually([&] { return miner->status().unreadable; }));
    CHECK(miner->status().logged_in);
    CHECK_FALSE(miner->status().connected);
    CHECK_FALSE(miner.job());
    pool->new_work(true);
    REQUIRE(eventually([&] { return miner->status().connected; }));
    CHECK_FALSE(miner->status().unreadable);
}

TEST_CASE("a refused suggestion is not the reason why a pool that gave work hangs up", "[pool_patience]") {
    Stage stage;
    PoolTraits traits;
    traits.intercept = [](Wire& wire, const json& message) {
        if (message["method"] == "mining.suggest_difficulty") {
            wire.reply(refusal(message, {20, "unknown method", nullptr}));
            return true;
        }
        if (message["method"] != "mining.submit" || wire.side.number > 1) return false;
        wire.hang_up();
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner.warned("closed the connection"); }));
    REQUIRE_FALSE(miner.warned("it had refused the suggested difficulty"));
}

TEST_CASE("shares below a difficulty that was raised just now do not count against the pool", "[pool_patience]") {
    Stage stage;
    PoolTraits traits;
    std::vector<json> held;  // back
    traits.intercept = [&](Wire& wire, const json& message) {
        if (message["method"] != "mining.submit") return false;
        held.push_back(message);
        if (held.size() < 30) return true;
        if (held.size() > 30) return false;
        wire.reply(call("mining.set_difficulty", json::array({2e-9})));
        for (const json& each : held) wire.reply(refusal(each, {23, "Low difficulty", nullptr}));
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(30);
    REQUIRE(eventually([&] { return miner->status().rejected == 30; }));
    REQUIRE(miner->status().difficulty == 2e-9);
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    REQUIRE(pool.connections() == 1);
    REQUIRE_FALSE(miner.said("misread"));
}

TEST_CASE("a pool that refuses every share is left alone for a while", "[pool_patience]") {
    Stage stage;
    PoolTraits traits;
    traits.intercept = [](Wire& wire, const json& message) {
        if (message["method"] != "mining.submit") return false;
        wire.reply(refusal(message, {24, "banned", nullptr}));
        return true;
    };
    ScriptedPool refuses(stage, traits);
    ScriptedPool works(stage);
    PoolMiner miner(pool_options(stage, {refuses.place(), works.place()}));
    REQUIRE(miner.has_job());
    miner.mine(20);
    REQUIRE(eventually([&] {
        return miner.warned(
            "the pool has refused 20 shares in a row, the last one as 'banned (24)'; it is not used for 1 min");
    }));
    REQUIRE(eventually([&] { return miner->status().server == works.place(); }));
    REQUIRE(miner->status().rejected == 20);
}
