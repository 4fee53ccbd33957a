// Tests of failing over: the next pool while the first cannot be used, retries, and back to the first.
#include <sys/socket.h>

#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

FakePoolSetting refusing() {
    FakePoolSetting setting;
    setting.authorize = false;
    return setting;
}

}  // namespace

TEST_CASE("the next pool is used while the first cannot be", "[pool_failover]") {
    const Folder folder;
    FakePool refuses(refusing());
    FakePool works({});
    PoolMiner miner(pool_options(folder, {closed_place(), refuses.place(), works.place()}));
    REQUIRE(miner.has_job());
    REQUIRE(miner->status().server == works.place());
    REQUIRE(miner.warned("cannot be reached: Connection refused"));
    REQUIRE(miner.warned("Unauthorized worker"));
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    const json pools = miner->status().details["pools"];
    REQUIRE(contains(pools[0]["last_error"], "Connection refused"));
    REQUIRE(pools[0]["connects"] == 0);
    REQUIRE(pools[2]["connects"] == 1);
    REQUIRE(pools[2]["accepted"] == 1);
}

TEST_CASE("when every pool refuses the login, that is the end", "[pool_failover]") {
    const Folder folder;
    FakePool one(refusing());
    FakePool two(refusing());
    PoolMiner miner(pool_options(folder, {one.place(), two.place()}));
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(contains(miner.over()->second, one.place()));
    REQUIRE(contains(miner.over()->second, "Unauthorized worker"));
    REQUIRE(one.connections() == 1);
    REQUIRE(two.connections() == 1);
    REQUIRE(miner.job() == nullptr);
}

TEST_CASE("a pool that refuses the login is left alone while another is only away", "[pool_failover]") {
    const Folder folder;
    FakePool refuses(refusing());
    PoolOptions options = pool_options(folder, {refuses.place(), closed_place()});
    options.retries = 3;
    options.retry_pause = 0.005;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(contains(miner.over()->second, "Connection refused"));
    REQUIRE(contains(miner.over()->second, "Unauthorized worker"));
    REQUIRE(refuses.connections() == 1);
    REQUIRE(miner.said_times("Connection refused") == 4);  // the first attempt and three more
}

TEST_CASE("retries used up", "[pool_failover]") {
    const Folder folder;
    PoolOptions options = pool_options(folder, {closed_place()});
    options.retries = 0;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(contains(miner.over()->second, "cannot be reached: Connection refused"));
    REQUIRE(miner.overs() == 1);
}

TEST_CASE("from a fallback pool back to the first, as soon as that takes the login", "[pool_failover]") {
    const Folder folder;
    std::atomic<bool> up = false;
    FakePoolSetting setting;
    setting.intercept = [&](Peer& peer, int, const json&) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        return !up;
    };
    FakePool first(setting);
    FakePool second({});
    PoolTiming timing = quick();
    timing.retry_better_pool = std::chrono::milliseconds(30);
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}), timing);
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
    const Folder folder;
    std::atomic<bool> up = false;
    FakePoolSetting setting;
    setting.intercept = [&](Peer& peer, int, const json&) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        return !up;
    };
    FakePool first(setting);
    FakePoolSetting silent;
    silent.intercept = [](Peer&, int connection, const json& message) {
        return connection == 1 && message.value("method", "") == "mining.submit";
    };
    FakePool second(silent);
    PoolTiming timing = quick();
    timing.retry_better_pool = std::chrono::milliseconds(30);
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}), timing);
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
    const Folder folder;
    std::atomic<bool> up = false;
    std::atomic<bool> cut = false;
    FakePoolSetting one;
    one.intercept = [&](Peer& peer, int, const json&) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        return !up;
    };
    FakePoolSetting two;
    two.after_login = [&](Peer& peer, int) {
        eventually([&] { return cut.load(); });
        shutdown(peer.socket(), SHUT_RDWR);
    };
    FakePool first(one);
    FakePool second(two);
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}));
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner.job() != nullptr; }));
    up = true;
    cut = true;
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    REQUIRE(miner.warned("closed the connection; connecting again"));
}

TEST_CASE("the user's choice of a pool replaces the one in use, and stays the first", "[pool_failover]") {
    const Folder folder;
    FakePool first({});
    FakePoolSetting hangs_up;
    std::atomic<bool> up = true;
    hangs_up.before_reply = [&](Peer& peer, int) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        return !up;
    };
    hangs_up.intercept = [&](Peer& peer, int, const json&) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        return !up;
    };
    FakePool second(hangs_up);
    PoolTiming timing = quick();
    timing.retry_better_pool = std::chrono::milliseconds(30);
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}), timing);
    const auto uses = [&](const FakePool& pool) {
        return eventually([&] { return miner->status().server == pool.place() && miner->status().connected; });
    };
    REQUIRE(uses(first));
    REQUIRE_FALSE(miner->use_pool(2));
    REQUIRE(miner->use_pool(1));
    REQUIRE(uses(second));
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
}
