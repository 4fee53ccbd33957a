// Tests of very many shares: more than a connection or the journal takes at once.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

constexpr std::size_t kShares = 350;

// A run that is killed leaves a session behind, and shares without a reply, on the first connection.
void leave_unanswered(const PoolOptions& options, const ScriptedPool& pool) {
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    miner.mine(kShares);
    REQUIRE(eventually([&] { return pool.requests("mining.submit").size() == kShares; }));
}

}  // namespace

TEST_CASE("very many shares of a resumed session are sent again by and by", "[pool_flood]") {
    Stage stage;
    std::vector<json> waiting;
    std::size_t most = 0;
    PoolTraits traits;
    // Replies a second after the last one came.
    traits.intercept = [&](Wire& wire, const json& message) {
        if (message["method"] != "mining.submit") return false;
        if (wire.side.number == 1) return true;
        waiting.push_back(message);
        most = std::max(most, waiting.size());
        stage.world.time.after(std::chrono::seconds(1), [&, self = wire.shared_from_this(), count = waiting.size()] {
            if (waiting.size() != count) return;
            for (const json& each : waiting) self->reply(acceptance(each));
            waiting.clear();
        });
        return true;
    };
    ScriptedPool pool(stage, traits);
    const PoolOptions options = pool_options(stage, {pool.place()});
    leave_unanswered(options, pool);
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner->status().accepted == kShares; }));
    REQUIRE(miner->status().details["resent"] == kShares);
    REQUIRE(eventually([&] { return miner->status().unanswered == 0; }));
    REQUIRE(pool.connections() == 2);
    REQUIRE(most <= 100);
}

TEST_CASE("a pool that never answers shares sent again gets all of them, and the new ones", "[pool_flood]") {
    Stage stage;
    PoolTraits traits;
    traits.intercept = [&](Wire&, const json& message) {
        return message["method"] == "mining.submit" && message["params"][1] == "1";
    };
    ScriptedPool pool(stage, traits);
    const PoolOptions options = pool_options(stage, {pool.place()});
    leave_unanswered(options, pool);
    pool->new_work(false);
    PoolTiming timing = quick();
    const bool soon = GENERATE(true, false);
    if (soon) timing.wait_for_reply = std::chrono::milliseconds(10);
    PoolMiner miner(options, timing);
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    const std::size_t again = soon ? kShares : 100;
    REQUIRE(eventually([&] { return pool.requests("mining.submit").size() == kShares + again + 1; }));
    REQUIRE(pool.connections() == 2);
}

TEST_CASE("shares that come too fast are counted and warned of", "[pool_flood]") {
    Stage stage;
    ScriptedPool pool(stage);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    REQUIRE(miner->status().details["lost"] == 0);
    const JobHit found = miner.search(miner.job());
    for (int i = 0; i < 1005; ++i) miner->found(found);
    REQUIRE(eventually([&] { return miner.warned("5 shares were lost"); }));
    REQUIRE(miner->status().details["lost"] == 5);
}
