// Tests of failing over: the next pool while the first cannot be used, retries, and back to the first.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

PoolTraits refusing() {
    PoolTraits traits;
    traits.takes_logins = false;
    return traits;
}

// Takes connections, but ends them at the first message while it is not `up`.
PoolTraits hanging_up(const bool& up) {
    PoolTraits traits;
    traits.intercept = [&up](Wire& wire, const json&) {
        if (!up) wire.hang_up();
        return !up;
    };
    return traits;
}

}  // namespace

TEST_CASE("the next pool is used while the first cannot be", "[pool_failover]") {
    Stage stage;
    ScriptedPool refuses(stage, refusing());
    ScriptedPool works(stage);
    PoolMiner miner(pool_options(stage, {closed_place(stage), refuses.place(), works.place()}));
    REQUIRE(miner.has_job());
    REQUIRE(miner->status().server == works.place());
    REQUIRE(miner.warned("cannot be reached"));
    REQUIRE(miner.warned("Unauthorized worker"));
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    const json pools = miner->status().details["pools"];
    REQUIRE(contains(pools[0]["last_error"], "cannot be reached"));
    REQUIRE(pools[0]["connects"] == 0);
    REQUIRE(pools[2]["connects"] == 1);
    REQUIRE(pools[2]["accepted"] == 1);
}

TEST_CASE("when every pool refuses the login, that is the end", "[pool_failover]") {
    Stage stage;
    ScriptedPool one(stage, refusing());
    ScriptedPool two(stage, refusing());
    PoolMiner miner(pool_options(stage, {one.place(), two.place()}));
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(contains(miner.over()->second, one.place()));
    REQUIRE(contains(miner.over()->second, "Unauthorized worker"));
    REQUIRE(one.connections() == 1);
    REQUIRE(two.connections() == 1);
    REQUIRE(miner.job() == nullptr);
}

TEST_CASE("a pool that refuses the login is left alone while another is only away", "[pool_failover]") {
    Stage stage;
    ScriptedPool refuses(stage, refusing());
    PoolOptions options = pool_options(stage, {refuses.place(), closed_place(stage)});
    options.retries = 3;
    options.retry_pause = 0.005;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(contains(miner.over()->second, "cannot be reached"));
    REQUIRE(contains(miner.over()->second, "Unauthorized worker"));
    REQUIRE(refuses.connections() == 1);
    REQUIRE(miner.said_times("cannot be reached") == 4);  // the first attempt and three more
}

TEST_CASE("retries used up", "[pool_failover]") {
    Stage stage;
    PoolOptions options = pool_options(stage, {closed_place(stage)});
    options.retries = 0;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(contains(miner.over()->second, "cannot be reached"));
    REQUIRE(miner.overs() == 1);
}

TEST_CASE("from a fallback pool back to the first, as soon as that takes the login", "[pool_failover]") {
    Stage stage;
    bool up = false;
    ScriptedPool first(stage, hanging_up(up));
    ScriptedPool second(stage);
    PoolTiming timing = quick();
    timing.retry_better_pool = std::chrono::milliseconds(30);
    PoolMiner miner(pool_options(stage, {first.place(), second.place()}), timing);
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner.job() != nullptr; }));
    // The fallback goes on while the first one is tried.
    REQUIRE(eventually([&] { return first.connections() >= 6; }));
    REQUIRE(second.connections() == 1);
    const int jobs = miner.jobs();
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
    REQUIRE(miner.jobs() == jobs);
    up = true;
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    miner.mine();
    REQUIRE(eventually([&] { return first.count("accepted") == 1; }));
    REQUIRE(second.connections() == 1);
}

TEST_CASE("back on a fallback so soon, shares that it had not answered come first", "[pool_failover]") {
    Stage stage;
    bool up = false;
    ScriptedPool first(stage, hanging_up(up));
    PoolTraits silent;
    silent.intercept = [](Wire& wire, const json& message) {
        return wire.side.number == 1 && message.value("method", "") == "mining.submit";
    };
    ScriptedPool second(stage, silent);
    PoolTiming timing = quick();
    timing.retry_better_pool = std::chrono::milliseconds(30);
    PoolMiner miner(pool_options(stage, {first.place(), second.place()}), timing);
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner.job() != nullptr; }));
    miner.mine();
    REQUIRE(eventually([&] { return second.requests("mining.submit").size() == 1; }));
    up = true;  // the connection to the second pool is kept for a while, for its replies
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    up = false;
    miner.mine();  // breaks the connection to the first
    REQUIRE(eventually([&] { return second.connections() == 2 && miner->status().connected; }));
    miner.mine();
    REQUIRE(eventually([&] { return !second.shares().empty(); }));
    REQUIRE(second.shares()[0].params == second.requests("mining.submit")[0]["params"]);
}

TEST_CASE("when a fallback breaks, the first pool has its turn", "[pool_failover]") {
    Stage stage;
    bool up = false;
    ScriptedPool first(stage, hanging_up(up));
    ScriptedPool second(stage);
    PoolMiner miner(pool_options(stage, {first.place(), second.place()}));
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner.job() != nullptr; }));
    up = true;
    second->cut_all();
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    REQUIRE(miner.warned("the connection broke; connecting again"));
}

TEST_CASE("the user's choice of a pool replaces the one in use, and stays the first", "[pool_failover]") {
    Stage stage;
    ScriptedPool first(stage);
    bool up = true;
    ScriptedPool second(stage, hanging_up(up));
    PoolTiming timing = quick();
    timing.retry_better_pool = std::chrono::milliseconds(30);
    PoolMiner miner(pool_options(stage, {first.place(), second.place()}), timing);
    const auto uses = [&](const ScriptedPool& pool) {
        return eventually([&] { return miner->status().server == pool.place() && miner->status().connected; });
    };
    REQUIRE(uses(first));
    REQUIRE_FALSE(miner->use_pool(2));
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().latency_ms.has_value(); }));
    REQUIRE(miner->use_pool(1));
    REQUIRE(uses(second));
    REQUIRE_FALSE(miner->status().latency_ms.has_value());  // it has answered nothing
    const json pools = miner->status().details["pools"];
    REQUIRE(pools[0]["active"] == false);
    REQUIRE(pools[1]["active"] == true);
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
    REQUIRE(miner->use_pool(1));  // it is in use

    // The other one is the fallback now, and is left for the choice as soon as that is back.
    up = false;
    miner.mine();
    REQUIRE(uses(first));
    up = true;
    REQUIRE(uses(second));
    REQUIRE(miner->use_pool(0));
    REQUIRE(uses(first));
    REQUIRE(miner->status().latency_ms.has_value());
}
