// Tests of the schedule: the choice and the order of pools; pools that take the login and are of no use, and pools that
// ask for a pause.
#include "net/pool/schedule.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr SteadyTime kNow = SteadyTime{} + std::chrono::hours(1);

// No session is long enough to be of use for that alone.
PoolTiming impatient() {
    PoolTiming timing = quick();
    timing.trust_after = std::chrono::hours(1);
    return timing;
}

// Takes the login, gives a job or not, and hangs up.
PoolTraits useless(bool with_job) {
    PoolTraits traits;
    traits.after_login = [](Wire& wire) { wire.hang_up(); };
    if (with_job) return traits;
    traits.intercept = [](Wire& wire, const json& message) {
        if (message["method"] != "mining.authorize") return false;
        wire.reply(acceptance(message));
        wire.hang_up();
        return true;
    };
    return traits;
}

std::string asks_to_come_back(std::uint64_t wait) { return call("client.reconnect", {"", 0, wait}); }

PoolOptions three_pools() {
    PoolOptions options;
    for (const char* url : {"one:1", "two:2", "three:3"}) options.pools.push_back({parse_pool_url(url), "user", "x"});
    options.retries = 1;
    return options;
}

}  // namespace

TEST_CASE("a pool that takes the login and hangs up leaves the work to the next one", "[pool_failover]") {
    Stage stage;
    ScriptedPool first(stage, useless(GENERATE(true, false)));
    ScriptedPool second(stage);
    PoolMiner miner(pool_options(stage, {first.place(), second.place()}), impatient());
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner->status().connected; }));
    REQUIRE(first.connections() == 1);
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
    REQUIRE(miner.warned("the pool closed the connection"));
}

TEST_CASE("logins without work count as failures", "[pool_failover]") {
    Stage stage;
    ScriptedPool pool(stage, useless(GENERATE(true, false)));
    PoolOptions options = pool_options(stage, {pool.place()});
    options.retries = 3;
    options.retry_pause = 0.005;
    PoolMiner miner(options, impatient());
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(miner.over()->second.find("closed the connection") != std::string::npos);
    REQUIRE(pool.connections() == 4);
}

TEST_CASE("a pool that has accepted a share is no failure", "[pool_failover]") {
    Stage stage;
    PoolTraits traits;
    int submits = 0;
    traits.intercept = [&](Wire& wire, const json& message) {
        if (message["method"] != "mining.submit" || ++submits != 2) return false;
        wire.hang_up();
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolOptions options = pool_options(stage, {pool.place()});
    options.retries = 0;
    PoolMiner miner(options, impatient());
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 2; }));
    REQUIRE(pool.connections() == 2);
    REQUIRE_FALSE(miner.over());
}

TEST_CASE("a fallback works on until the better pool gives a job", "[pool_failover]") {
    Stage stage;
    bool up = false;
    std::shared_ptr<Wire> logged_in;
    PoolTraits traits;
    traits.intercept = [&](Wire& wire, const json& message) {
        if (!up) {
            wire.hang_up();
            return true;
        }
        if (message["method"] != "mining.authorize") return false;
        wire.reply(acceptance(message));
        logged_in = wire.shared_from_this();
        return true;
    };
    ScriptedPool first(stage, traits);
    ScriptedPool second(stage);
    PoolTiming timing = quick();
    timing.retry_better_pool = milliseconds(30);
    PoolMiner miner(pool_options(stage, {first.place(), second.place()}), timing);
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner->status().connected; }));
    up = true;
    REQUIRE(eventually([&] { return logged_in != nullptr; }));
    stage.pass(seconds(1));  // so that the client knows
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
    REQUIRE(miner->status().server == second.place());
    logged_in->reply(call("mining.notify", {"late", std::string(64, '1'), "01000000", "00000000", json::array(),
                                            "20000000", "1d00ffff", "65000000", true}));
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    REQUIRE(second.connections() == 1);
}

TEST_CASE("a pool that asks for a pause leaves the work to the others", "[pool_failover]") {
    Stage stage;
    PoolTraits traits;
    const bool at_login = GENERATE(true, false);
    traits.intercept = [at_login](Wire& wire, const json& message) {
        if (at_login && message["method"] == "mining.subscribe") wire.reply(asks_to_come_back(3600));
        return false;
    };
    traits.after_login = [at_login](Wire& wire) {
        if (!at_login) wire.reply(asks_to_come_back(3600));
    };
    ScriptedPool first(stage, traits);
    ScriptedPool second(stage);
    PoolMiner miner(pool_options(stage, {first.place(), second.place()}));
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner->status().connected; }));
    REQUIRE(first.connections() == 1);
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
}

TEST_CASE("pauses that pools ask for hold for them alone", "[pool_failover]") {
    const PoolOptions options = three_pools();
    PoolSchedule schedule(options, 1);
    SteadyTime now = kNow;
    schedule.begin_round(3);
    REQUIRE(schedule.next(now) == 0);
    schedule.postpone(0, now + seconds(100));
    REQUIRE(schedule.postponed(0, now));
    REQUIRE(schedule.next(now) == 1);
    // In use: the first one has its turn when it wanted it, not later than usual.
    REQUIRE(schedule.pause_before_better(1, seconds(300), now) == seconds(100));
    REQUIRE(schedule.pause_before_better(1, seconds(30), now) == seconds(30));
    REQUIRE(schedule.pause_before_better(1, seconds(300), now + seconds(100)) == seconds(300));
    schedule.failed(1, false, "away");
    REQUIRE(schedule.next(now) == 2);
    schedule.failed(2, true, "unknown user");
    REQUIRE_FALSE(schedule.next(now));
    // No retry is used up while one of them is not at fault; the others do not wait as long as it does.
    for (int i = 0; i < 3; ++i) REQUIRE(schedule.pause_after_round(now).value() < seconds(30));
    schedule.failed(1, true, "unknown user");
    REQUIRE(schedule.pause_after_round(now) == seconds(100));
    now += seconds(100);
    schedule.begin_round(3);
    REQUIRE(schedule.next(now) == 0);
    schedule.failed(0, false, "away");
    REQUIRE(schedule.pause_after_round(now).has_value());  // one retry
    REQUIRE_FALSE(schedule.pause_after_round(now));
}

TEST_CASE("only work makes up for failures, not a login", "[pool_failover]") {
    const PoolOptions options = three_pools();
    PoolSchedule schedule(options, 1);
    const SteadyTime now = kNow;
    REQUIRE(schedule.pause_after_round(now).has_value());
    schedule.logged_in(0, true);
    REQUIRE_FALSE(schedule.pause_after_round(now));
    schedule.worked(0);
    REQUIRE(schedule.pause_after_round(now).has_value());
    REQUIRE_FALSE(schedule.pause_after_round(now));
}

TEST_CASE("pools are tried in order, those that refuse the login left out") {
    PoolOptions options;
    for (const char* url : {"a.example:1", "b.example:2", "c.example:3"})
        options.pools.push_back({parse_pool_url(url), "u"});
    options.retries = 2;
    PoolSchedule schedule(options, 7);
    const SteadyTime now = kNow;
    const auto round = [&](std::size_t limit) {
        std::vector<std::size_t> order;
        schedule.begin_round(limit);
        while (const auto pool = schedule.next(now)) order.push_back(*pool);
        return order;
    };
    REQUIRE(round(3) == std::vector<std::size_t>{0, 1, 2});
    schedule.failed(0, false, "unreachable");
    schedule.failed(1, true, "refused");
    REQUIRE(schedule.pause_after_round(now));
    REQUIRE(round(3) == std::vector<std::size_t>{0, 2});
    REQUIRE(schedule.pause_after_round(now));
    REQUIRE_FALSE(schedule.pause_after_round(now));  // two retries are used up
    schedule.logged_in(2, true);
    REQUIRE(round(2) == std::vector<std::size_t>{0, 1});
    for (std::size_t pool = 0; pool < 3; ++pool) schedule.failed(pool, true, "no such user");
    REQUIRE_FALSE(schedule.pause_after_round(now));
    REQUIRE_THAT(schedule.sentence(), Catch::Matchers::ContainsSubstring("a.example:1") &&
                                          Catch::Matchers::ContainsSubstring("c.example:3") &&
                                          Catch::Matchers::ContainsSubstring("no such user"));
}

TEST_CASE("a pool that sends its miners about without end is no longer followed") {
    PoolOptions options;
    options.pools.push_back({parse_pool_url("a.pool.example:1"), "u"});
    PoolSchedule schedule(options, 7);
    int followed = 0;
    while (schedule.redirect(0, parse_pool_url("b.pool.example:1")) && followed < 100) ++followed;
    REQUIRE(followed < 10);
    REQUIRE(schedule.url(0).host == "b.pool.example");
    schedule.failed(0, false, "not there");
    REQUIRE(schedule.url(0).host == "a.pool.example");
}
