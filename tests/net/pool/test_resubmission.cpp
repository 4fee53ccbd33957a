// Tests of unanswered shares: after a cut, and after a restart of the program.
#include <algorithm>

#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

std::vector<std::string> submits(const ScriptedPool& pool) {
    std::vector<std::string> all;
    for (const SeenShare& share : pool.shares()) all.push_back(std::to_string(share.connection) + share.params.dump());
    return all;
}

/// In place of a reply.
bool hang_up(Wire& wire) {
    wire.hang_up();
    return true;
}

bool all_different(std::vector<std::string> texts) {
    std::sort(texts.begin(), texts.end());
    return std::adjacent_find(texts.begin(), texts.end()) == texts.end();
}

}  // namespace

TEST_CASE("a cut with extranonces of unusual sizes", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    traits.extranonce1 = std::string(GENERATE(std::size_t{0}, std::size_t{64}), 'b');
    traits.extranonce2_size = GENERATE(0u, 1u, 9u, 32u);
    int seen = 0;
    traits.before_reply = [&](Wire& wire, auto&...) { return ++seen == 2 && hang_up(wire); };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    for (std::uint64_t shares = 1; shares <= 3; ++shares) {
        miner.mine();
        REQUIRE(eventually([&] { return miner->status().accepted == shares && miner->status().connected; }));
    }
    REQUIRE(pool.connections() == 2);
    REQUIRE(pool.count("Low difficulty share") == 0);
    REQUIRE(all_different(submits(pool)));
    for (const SeenShare& share : pool.shares())
        REQUIRE(share.params[2].get<std::string>().size() == std::size_t{2} * traits.extranonce2_size);
}

TEST_CASE("after a cut, shares of another extranonce are given up, but not a block", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    traits.resumes = false;
    const bool block = GENERATE(false, true);
    if (block) traits.nbits = "2100ffff";  // every hash solves it
    traits.before_reply = [&](Wire& wire, auto&...) { return wire.side.number == 1 && hang_up(wire); };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return pool.connections() >= 2 && miner.job() != nullptr; }));
    if (block) {
        REQUIRE(eventually([&] { return pool.shares().size() == 2; }));
        REQUIRE(miner.said("BLOCK FOUND"));
        REQUIRE(eventually([&] { return stage.count("reply") == 1; }));
        REQUIRE(stage.count("dropped") == 0);
    } else {
        REQUIRE(eventually([&] { return stage.count("dropped") == 1; }));
        REQUIRE(miner->status().unanswered == 0);
        REQUIRE(pool.shares().size() == 1);
    }
}

TEST_CASE("a restart takes up what the journal says is unanswered", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    traits.before_reply = [](Wire& wire, auto&...) { return wire.side.number == 1; };
    traits.resumes = GENERATE(true, false);
    ScriptedPool pool(stage, traits);
    {
        PoolMiner miner(pool_options(stage, {pool.place()}));
        REQUIRE(miner.has_job());
        miner.mine();
        REQUIRE(eventually([&] { return pool.shares().size() == 1; }));
        miner.kill();
    }
    REQUIRE(stage.count("share") == 1);
    REQUIRE(stage.count("reply") == 0);
    PoolMiner miner(pool_options(stage, {"stratum+tcp://" + pool.place()}));
    if (traits.resumes) {
        REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
        REQUIRE(pool.shares().size() == 2);
        REQUIRE(pool.count("Duplicate share") == 1);
    } else {
        REQUIRE(eventually([&] { return stage.count("dropped") == 1; }));
        REQUIRE(miner.has_job());
        REQUIRE(pool.shares().size() == 1);
    }
    REQUIRE(eventually([&] { return stage.count("reply") + stage.count("dropped") == 1; }));
    REQUIRE(miner->status().unanswered == 0);
    miner.kill();
    // Once answered or given up, it is never sent again; nor is there a reason to resume.
    PoolMiner third(pool_options(stage, {pool.place()}));
    REQUIRE(third.has_job());
    third.finish();
    REQUIRE(pool.shares().size() == (traits.resumes ? 2U : 1U));
    REQUIRE(pool.requests("mining.subscribe").back()["params"].size() == 1);
}

TEST_CASE("a share of another user's or another pool's journal is left alone", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    traits.before_reply = [](Wire& wire, auto&...) { return wire.side.number == 1; };
    ScriptedPool pool(stage, traits);
    {
        PoolMiner miner(pool_options(stage, {pool.place()}));
        REQUIRE(miner.has_job());
        miner.mine();
        REQUIRE(eventually([&] { return pool.shares().size() == 1; }));
        miner.kill();
    }
    PoolOptions options = pool_options(stage, {pool.place()});
    options.pools[0].user = "somebody.else";
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    miner.finish();
    REQUIRE(pool.shares().size() == 1);
    REQUIRE(miner->status().unanswered == 0);
}
