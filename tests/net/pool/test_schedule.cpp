// Tests of the schedule: pools that take the login and are of no use, and those that ask for a pause.
#include <sys/socket.h>

#include "net/pool/schedule.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::net::test;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// No session is long enough to be of use for that alone.
PoolTiming impatient() {
    PoolTiming timing = quick();
    timing.trust_after = std::chrono::hours(1);
    return timing;
}

void accept_login(Peer& peer, const json& message) {
    peer.send_line(json({{"id", message["id"]}, {"result", true}, {"error", nullptr}}).dump());
}

// Takes the login, gives a job or not, and hangs up.
FakePoolSetting hanging_up(bool with_job) {
    FakePoolSetting setting;
    setting.after_login = [](Peer& peer, int) { shutdown(peer.socket(), SHUT_RDWR); };
    if (with_job) return setting;
    setting.intercept = [](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.authorize") return false;
        accept_login(peer, message);
        shutdown(peer.socket(), SHUT_WR);
        return true;
    };
    return setting;
}

std::string asks_to_come_back(std::uint64_t wait) {
    return json({{"id", nullptr}, {"method", "client.reconnect"}, {"params", json::array({"", 0, wait})}}).dump();
}

PoolOptions three_pools() {
    PoolOptions options;
    for (const char* url : {"one:1", "two:2", "three:3"}) options.pools.push_back({parse_pool_url(url), "user", "x"});
    options.retries = 1;
    return options;
}

}  // namespace

TEST_CASE("a pool that takes the login and hangs up leaves the work to the next one", "[pool_failover]") {
    const Folder folder;
    FakePool first(hanging_up(GENERATE(true, false)));
    FakePool second({});
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}), impatient());
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner->status().connected; }));
    REQUIRE(first.connections() == 1);
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
    REQUIRE(miner.warned(first.place() + " closed the connection"));
}

TEST_CASE("logins without work count as failures", "[pool_failover]") {
    const Folder folder;
    FakePool pool(hanging_up(GENERATE(true, false)));
    PoolOptions options = pool_options(folder, {pool.place()});
    options.retries = 3;
    options.retry_pause = 0.005;
    PoolMiner miner(options, impatient());
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(miner.over()->second.find("closed the connection") != std::string::npos);
    REQUIRE(pool.connections() == 4);
}

TEST_CASE("a pool that has accepted a share is no failure", "[pool_failover]") {
    const Folder folder;
    FakePoolSetting setting;
    std::atomic<int> submits = 0;
    setting.intercept = [&](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.submit" || ++submits != 2) return false;
        shutdown(peer.socket(), SHUT_RDWR);
        return true;
    };
    FakePool pool(setting);
    PoolOptions options = pool_options(folder, {pool.place()});
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
    const Folder folder;
    std::atomic<bool> up = false;
    std::atomic<bool> authorized = false;
    std::atomic<bool> logged_in = false;
    std::atomic<bool> give = false;
    FakePool* self = nullptr;
    FakePoolSetting setting;
    setting.intercept = [&](Peer& peer, int, const json& message) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        if (message["method"] == "mining.authorize") {
            authorized = true;
            accept_login(peer, message);
        } else if (message["method"] == "mining.suggest_difficulty" && authorized) {  // once logged in
            logged_in = true;
            eventually([&] { return give.load(); });
            self->notify(peer, "late", true);
        } else {
            return !up;
        }
        return true;
    };
    FakePool first(setting);
    self = &first;
    FakePool second({});
    PoolTiming timing = quick();
    timing.retry_better_pool = milliseconds(30);
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}), timing);
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner->status().connected; }));
    up = true;
    REQUIRE(eventually([&] { return logged_in.load(); }));
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
    REQUIRE(miner->status().server == second.place());
    give = true;
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    REQUIRE(second.connections() == 1);
}

TEST_CASE("a pool that asks for a pause leaves the work to the others", "[pool_failover]") {
    const Folder folder;
    FakePoolSetting setting;
    const bool at_login = GENERATE(true, false);
    setting.intercept = [at_login](Peer& peer, int, const json& message) {
        if (at_login && message["method"] == "mining.subscribe") peer.send_line(asks_to_come_back(3600));
        return false;
    };
    setting.after_login = [at_login](Peer& peer, int) {
        if (!at_login) peer.send_line(asks_to_come_back(3600));
    };
    FakePool first(setting);
    FakePool second({});
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}));
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner->status().connected; }));
    REQUIRE(first.connections() == 1);
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
}

TEST_CASE("pauses that pools ask for hold for them alone", "[pool_failover]") {
    const PoolOptions options = three_pools();
    PoolSchedule failover(options, 1);
    SteadyTime now = std::chrono::steady_clock::now();
    failover.begin_round(3);
    REQUIRE(failover.next(now) == 0);
    failover.postpone(0, now + seconds(100));
    REQUIRE(failover.postponed(0, now));
    REQUIRE(failover.next(now) == 1);
    // In use: the first one has its turn when it wanted it, not later than usual.
    REQUIRE(failover.pause_before_better(1, seconds(300), now) == seconds(100));
    REQUIRE(failover.pause_before_better(1, seconds(30), now) == seconds(30));
    REQUIRE(failover.pause_before_better(1, seconds(300), now + seconds(100)) == seconds(300));
    failover.failed(1, false, "away");
    REQUIRE(failover.next(now) == 2);
    failover.failed(2, true, "unknown user");
    REQUIRE_FALSE(failover.next(now));
    // No retry is used up while one of them is not at fault; the others do not wait as long as it does.
    for (int i = 0; i < 3; ++i) REQUIRE(failover.pause_after_round(now).value() < seconds(30));
    failover.failed(1, true, "unknown user");
    REQUIRE(failover.pause_after_round(now) == seconds(100));
    now += seconds(100);
    failover.begin_round(3);
    REQUIRE(failover.next(now) == 0);
    failover.failed(0, false, "away");
    REQUIRE(failover.pause_after_round(now).has_value());  // one retry
    REQUIRE_FALSE(failover.pause_after_round(now));
}

TEST_CASE("only work makes up for failures, not a login", "[pool_failover]") {
    const PoolOptions options = three_pools();
    PoolSchedule failover(options, 1);
    const SteadyTime now = std::chrono::steady_clock::now();
    REQUIRE(failover.pause_after_round(now).has_value());
    failover.logged_in(0, true);
    REQUIRE_FALSE(failover.pause_after_round(now));
    failover.worked(0);
    REQUIRE(failover.pause_after_round(now).has_value());
    REQUIRE_FALSE(failover.pause_after_round(now));
}
