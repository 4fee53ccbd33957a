// Tests of unanswered shares: after a cut, and after a restart of the program.
#include <algorithm>
#include <atomic>

#include <sys/socket.h>

#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

std::vector<std::string> submits(const FakePool& pool) {
    std::vector<std::string> all;
    for (const SeenShare& share : pool.shares()) all.push_back(std::to_string(share.connection) + share.params.dump());
    return all;
}

bool all_different(std::vector<std::string> texts) {
    std::sort(texts.begin(), texts.end());
    return std::adjacent_find(texts.begin(), texts.end()) == texts.end();
}

}  // namespace

TEST_CASE("after a cut, unanswered shares of a resumed session are sent again, once", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    // The pool takes the third share and is gone before it replies.
    std::atomic<int> seen = 0;
    setting.before_reply = [&](Peer&, int) { return ++seen == 3; };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    for (int i = 1; i <= 3; ++i) {
        miner.mine();
        if (i < 3) REQUIRE(eventually([&] { return miner->status().accepted == static_cast<std::uint64_t>(i); }));
    }
    REQUIRE(eventually([&] { return miner->status().accepted == 3; }));
    REQUIRE(pool.connections() == 2);
    REQUIRE(pool.count("accepted") == 3);
    REQUIRE(pool.count("duplicate") == 1);  // it had the third one, and says so: that counts as accepted
    REQUIRE(pool.shares().size() == 4);
    REQUIRE(all_different(submits(pool)));
    REQUIRE(miner->status().rejected == 0);
    REQUIRE(miner->status().details["resent"] == 1);
    const auto subscribes = pool.requests("mining.subscribe");
    REQUIRE(subscribes.back()["params"] == json({"gpuminer/test", "cafe01"}));
}

TEST_CASE("a cut with extranonces of unusual sizes", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.extranonce1 = std::string(GENERATE(std::size_t{0}, std::size_t{64}), 'b');
    setting.extranonce2_size = GENERATE(0u, 1u, 9u, 32u);
    std::atomic<int> seen = 0;
    setting.before_reply = [&](Peer&, int) { return ++seen == 2; };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    for (std::uint64_t shares = 1; shares <= 3; ++shares) {
        miner.mine();
        REQUIRE(eventually([&] { return miner->status().accepted == shares && miner->status().connected; }));
    }
    REQUIRE(pool.connections() == 2);
    REQUIRE(pool.count("low") == 0);
    REQUIRE(all_different(submits(pool)));
    for (const SeenShare& share : pool.shares())
        REQUIRE(share.params[2].get<std::string>().size() == std::size_t{2} * setting.extranonce2_size);
}

TEST_CASE("a share found while there is no connection waits for the session to be resumed", "[pool_shares]") {
    const Folder folder;
    std::atomic<bool> cut = false;
    std::atomic<bool> open = true;
    FakePoolSetting setting;
    setting.after_login = [&](Peer& peer, int number) {
        if (number > 1) return;
        eventually([&] { return cut.load(); });
        open = false;
        shutdown(peer.socket(), SHUT_RDWR);
    };
    setting.intercept = [&](Peer&, int number, const json& message) {
        if (number > 1 && message["method"] == "mining.subscribe") eventually([&] { return open.load(); });
        return false;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    const auto job = miner.job();
    cut = true;
    REQUIRE(eventually([&] { return miner.job() == nullptr; }));
    miner->found(miner.search(job));
    REQUIRE(eventually([&] { return folder.count("share") == 1; }));
    open = true;
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    REQUIRE(pool.shares().size() == 1);
}

TEST_CASE("after a cut, shares of another extranonce are given up, but not a block", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.resume = false;
    const bool block = GENERATE(false, true);
    if (block) setting.nbits = "2100ffff";  // every hash solves it
    setting.before_reply = [&](Peer&, int connection) { return connection == 1; };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return pool.connections() >= 2 && miner.job() != nullptr; }));
    if (block) {
        REQUIRE(eventually([&] { return pool.shares().size() == 2; }));
        REQUIRE(miner.said("BLOCK FOUND"));
        REQUIRE(eventually([&] { return folder.count("reply") == 1; }));
        REQUIRE(folder.count("dropped") == 0);
    } else {
        REQUIRE(eventually([&] { return folder.count("dropped") == 1; }));
        REQUIRE(miner->status().unanswered == 0);
        REQUIRE(pool.shares().size() == 1);
    }
}

TEST_CASE("the last status agrees with the journal", "[pool_shares]") {
    const Folder folder;
    std::atomic<bool> received = false, answer = false;
    FakePoolSetting setting;
    setting.intercept = [&](Peer&, int, const json& message) {
        if (message["method"] == "mining.submit") {
            received = true;
            eventually([&] { return answer.load(); });
        }
        return false;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return folder.count("share") == 3 && received; }));
    const WorkStatus last = miner->end();
    answer = true;
    CHECK(last.unanswered == 3);
    CHECK(last.accepted == 0);
    REQUIRE(eventually([&] { return pool.count("accepted") > 0; }));
    CHECK(miner->status().unanswered == 3);
    CHECK(folder.count("reply") == 0);
}

TEST_CASE("a restart takes up what the journal says is unanswered", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    std::atomic<bool> answering = false;
    setting.before_reply = [&](Peer& peer, int connection) {
        if (connection == 1 && !answering) {
            peer.wait_for_close();
            return true;
        }
        return false;
    };
    setting.resume = GENERATE(true, false);
    FakePool pool(setting);
    {
        PoolMiner miner(pool_options(folder, {pool.place()}));
        REQUIRE(miner.has_job());
        miner.mine();
        REQUIRE(eventually([&] { return pool.shares().size() == 1; }));
        miner.kill();
    }
    REQUIRE(folder.count("share") == 1);
    REQUIRE(folder.count("reply") == 0);
    PoolMiner miner(pool_options(folder, {"stratum+tcp://" + pool.place()}));
    if (setting.resume) {
        REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
        REQUIRE(pool.shares().size() == 2);
        REQUIRE(pool.count("duplicate") == 1);
    } else {
        REQUIRE(eventually([&] { return folder.count("dropped") == 1; }));
        REQUIRE(miner.has_job());
        REQUIRE(pool.shares().size() == 1);
    }
    REQUIRE(eventually([&] { return miner->status().unanswered == 0; }));
    miner.kill();
    // Once answered or given up, it is never sent again; nor is there a reason to resume.
    PoolMiner third(pool_options(folder, {pool.place()}));
    REQUIRE(third.has_job());
    third->finish(std::chrono::seconds(60));
    REQUIRE(pool.shares().size() == (setting.resume ? 2U : 1U));
    REQUIRE(pool.requests("mining.subscribe").back()["params"].size() == 1);
}

TEST_CASE("a share of another user's or another pool's journal is left alone", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.before_reply = [](Peer& peer, int connection) {
        if (connection > 1) return false;
        peer.wait_for_close();
        return true;
    };
    FakePool pool(setting);
    {
        PoolMiner miner(pool_options(folder, {pool.place()}));
        REQUIRE(miner.has_job());
        miner.mine();
        REQUIRE(eventually([&] { return pool.shares().size() == 1; }));
        miner.kill();
    }
    PoolOptions options = pool_options(folder, {pool.place()});
    options.pools[0].user = "somebody.else";
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    miner->finish(std::chrono::seconds(60));
    REQUIRE(pool.shares().size() == 1);
    REQUIRE(miner->status().unanswered == 0);
}
