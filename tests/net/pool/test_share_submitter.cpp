// Tests of shares on one connection: from hits to replies, against a pool that hashes every share itself.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

TEST_CASE("shares are journalled, sent once, judged and counted", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    traits.rolls_versions = GENERATE(true, false);
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    REQUIRE((miner.job()->version_mask() != 0) == traits.rolls_versions);
    miner.mine(20);
    REQUIRE(eventually([&] { return miner->status().accepted == 20; }));
    REQUIRE(pool.count("accepted") == 20);
    REQUIRE(pool.shares().size() == 20);
    REQUIRE(pool.shares()[0].params.size() == (traits.rolls_versions ? 6U : 5U));

    const WorkStatus status = miner->status();
    REQUIRE(status.connected);
    REQUIRE(status.rejected + status.stale + status.unanswered + status.blocks == 0);
    REQUIRE(status.accepted_difficulty == Approx(20e-9));
    REQUIRE(status.latency_ms.has_value());
    REQUIRE(status.details["session"] == "0-2");
    REQUIRE(status.details["extranonce1"] == "00000003");
    REQUIRE(status.details["pools"][0]["accepted"] == 20);
    REQUIRE(status.details["version_mask"] == (traits.rolls_versions ? json("1fffe000") : json()));
    REQUIRE(stage.count("share") == 20);
    REQUIRE(eventually([&] { return stage.count("reply") == 20; }));
    REQUIRE(miner.said(" of 1e-09 ("));
}

TEST_CASE("what is above the target is not sent, and the same share not twice", "[pool_shares]") {
    Stage stage;
    ScriptedPool pool(stage);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    JobHit found = miner.search(miner.job());
    miner->found(found);
    miner->found(found);
    JobHit wrong = found;
    while (check(wrong.hit.header, found.job->target()).verdict == Verdict::hit) {
        wrong.hit.header = wrong.hit.header.with_nonce(wrong.hit.header.nonce() + 1);
    }
    miner->found(wrong);
    REQUIRE(eventually([&] { return miner.warned("above the target"); }));
    miner.finish();
    REQUIRE(pool.shares().size() == 1);
    REQUIRE(miner->status().accepted == 1);
}

TEST_CASE("after a clean job, shares of the one before are stale and not sent", "[pool_shares]") {
    Stage stage;
    ScriptedPool pool(stage);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    const auto old = miner.job();
    const JobHit late = miner.search(old);
    pool->new_work(true);
    REQUIRE(eventually([&] { return miner.job() != old; }));
    miner->found(late);
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    REQUIRE(miner->status().stale == 1);
    REQUIRE(pool.shares().size() == 1);
    REQUIRE(stage.count("share") == 1);
}

TEST_CASE("the pool's reasons are counted and told", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    int number = 0;
    traits.intercept = [&](Wire& wire, const json& message) {
        if (message["method"] != "mining.submit") return false;
        const json errors[] = {json::array({23, "Above target", nullptr}), json::array({21, "Stale"}), json(true),
                               json("high-hash")};
        wire.reply(refusal(message, errors[number++ % 4]));
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(4);
    REQUIRE(eventually([&] { return miner->status().rejected + miner->status().stale == 4; }));
    REQUIRE(miner->status().stale == 1);
    REQUIRE(miner->status().accepted == 0);
    REQUIRE(miner->status().reject_reasons.at("Above target (23)") == 1);
    REQUIRE(miner.warned("rejected: Above target (23)"));
    REQUIRE(miner.warned("high-hash"));
}

TEST_CASE("enough shares or blocks end the work", "[pool_shares]") {
    Stage stage;
    ScriptedPool* self = nullptr;
    PoolTraits traits;
    const bool blocks = GENERATE(false, true);
    if (blocks) traits.nbits = "2100ffff";
    traits.before_reply = [&](auto&...) {
        (*self)->new_work(false);
        return false;
    };
    ScriptedPool pool(stage, traits);
    self = &pool;
    PoolOptions options = pool_options(stage, {pool.place()});
    (blocks ? options.blocks : options.shares) = 3;
    options.single_submit = true;
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    for (auto job = miner.job(); job != nullptr;) {  // one share each, and no job any more once there are enough
        const auto last = job;
        miner.mine();
        REQUIRE(eventually([&] { return (job = miner.job()) != last; }));
    }
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kEnough);
    REQUIRE(miner->status().accepted == 3);
    REQUIRE(miner->status().blocks == (blocks ? 3U : 0U));
    REQUIRE(miner.job() == nullptr);
    miner.finish();
    REQUIRE(miner.overs() == 1);
}

TEST_CASE("of the shares that solve a block on the same one, a pool's node keeps the first", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    traits.nbits = "2100ffff";
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return miner->status().accepted == 3; }));
    REQUIRE(miner->status().blocks == 1);
    REQUIRE(miner.said_times("IT SOLVES A BLOCK") == 1);
}

TEST_CASE("a refused share that solves a block is called what it is counted as", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    traits.nbits = "2100ffff";
    const bool stale = GENERATE(true, false);
    traits.intercept = [&](Wire& wire, const json& message) {
        if (message["method"] != "mining.submit") return false;
        const json error = stale ? json{21, "Job not found", nullptr} : json{20, "Other/Unknown", nullptr};
        wire.reply(refusal(message, error));
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().stale + miner->status().rejected == 1; }));
    REQUIRE(miner->status().stale == (stale ? 1 : 0));
    REQUIRE(miner->status().blocks == 0);
    REQUIRE(eventually([&] { return miner.warned("though it SOLVES A BLOCK"); }));
    REQUIRE(miner.warned(stale ? "stale, though" : "rejected, though"));
}

TEST_CASE("what is in flight when there is enough is still answered", "[pool_shares]") {
    Stage stage;
    PoolTraits traits;
    // Replies when it has got all three.
    std::vector<json> held;
    traits.intercept = [&](Wire& wire, const json& message) {
        if (message["method"] != "mining.submit") return false;
        held.push_back(message);
        if (held.size() < 3) return true;
        for (const json& each : held) wire.reply(acceptance(each));
        return true;
    };
    ScriptedPool pool(stage, traits);
    PoolOptions options = pool_options(stage, {pool.place()});
    options.shares = 1;
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.finish());
    REQUIRE(miner->status().accepted == 3);
    REQUIRE(miner->status().unanswered == 0);
    REQUIRE(miner.overs() == 1);
}
