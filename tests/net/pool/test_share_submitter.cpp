// Tests of shares on one connection: from hits to replies, against a pool that hashes every share itself.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

TEST_CASE("shares are journalled, sent once, judged and counted", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.version_rolling = GENERATE(true, false);
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    REQUIRE((miner.job()->version_mask() != 0) == setting.version_rolling);
    miner.mine(20);
    REQUIRE(eventually([&] { return miner->status().accepted == 20; }));
    REQUIRE(pool.count("accepted") == 20);
    REQUIRE(pool.shares().size() == 20);
    REQUIRE(pool.shares()[0].params.size() == (setting.version_rolling ? 6U : 5U));

    const WorkStatus status = miner->status();
    REQUIRE(status.connected);
    REQUIRE(status.rejected + status.stale + status.unanswered + status.blocks == 0);
    REQUIRE(status.accepted_difficulty == Approx(20e-9));
    REQUIRE(status.latency_ms.has_value());
    REQUIRE(status.details["session"] == "cafe01");
    REQUIRE(status.details["extranonce1"] == "0a0b0c0d");
    REQUIRE(status.details["pools"][0]["accepted"] == 20);
    REQUIRE(status.details["version_mask"] == (setting.version_rolling ? json("1fffe000") : json()));
    REQUIRE(folder.count("share") == 20);
    REQUIRE(eventually([&] { return folder.count("reply") == 20; }));
    REQUIRE(miner.said("accepted (20/0) diff 1e-09 ("));
}

TEST_CASE("version bits that a device rolled reach the pool", "[pool_shares]") {
    const Folder folder;
    FakePool pool({});
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    const auto job = miner.job();
    for (std::uint32_t nonce = 0;; ++nonce) {
        const BlockHeader header = job->header(0);
        const BlockHeader rolled = header.with_version(header.version() | 0x00a54000).with_nonce(nonce);
        const Checked checked = check(rolled, job->target());
        if (checked.verdict != Verdict::hit) continue;
        miner->found({job, 0, {rolled.version(), nonce, checked.hash, rolled}});
        break;
    }
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    REQUIRE(pool.shares()[0].params[5] == "00a54000");
}

TEST_CASE("what is above the target is not sent, and the same share not twice", "[pool_shares]") {
    const Folder folder;
    FakePool pool({});
    PoolMiner miner(pool_options(folder, {pool.place()}));
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
    miner->finish(std::chrono::seconds(60));
    REQUIRE(pool.shares().size() == 1);
    REQUIRE(miner->status().accepted == 1);
}

TEST_CASE("after a clean job, shares of the one before are stale and not sent", "[pool_shares]") {
    const Folder folder;
    FakePool* self = nullptr;
    FakePoolSetting setting;
    std::atomic<bool> go = false;
    setting.after_login = [&](Peer& peer, int) {
        eventually([&] { return go.load(); });
        self->notify(peer, "next", true);
    };
    FakePool pool(setting);
    self = &pool;
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    const auto old = miner.job();
    const JobHit late = miner.search(old);
    go = true;
    REQUIRE(eventually([&] { return miner.job() != old; }));
    miner->found(late);
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    REQUIRE(miner->status().stale == 1);
    REQUIRE(pool.shares().size() == 1);
    REQUIRE(folder.count("share") == 1);
}

TEST_CASE("the pool's reasons are counted and told", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    std::atomic<int> number = 0;
    setting.intercept = [&](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.submit") return false;
        const json errors[] = {json::array({23, "Above target", nullptr}), json::array({21, "Stale"}), json(true),
                               json("high-hash")};
        peer.send_line(json({{"id", message["id"]}, {"result", nullptr}, {"error", errors[number++ % 4]}}).dump());
        return true;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(4);
    REQUIRE(eventually([&] { return miner->status().rejected + miner->status().stale == 4; }));
    REQUIRE(miner->status().stale == 1);
    REQUIRE(miner->status().accepted == 0);
    REQUIRE(miner->status().reject_reasons.at("Above target (23)") == 1);
    REQUIRE(miner.warned("rejected: Above target (23)"));
    REQUIRE(miner.warned("high-hash"));
}

TEST_CASE("single submit sends one share at a time", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    std::atomic<int> waiting = 0;
    std::atomic<bool> overlapped = false;
    setting.before_reply = [&](Peer& peer, int) {
        if (peer.read_line(0.05)) overlapped = true;
        ++waiting;
        return false;
    };
    FakePool pool(setting);
    PoolOptions options = pool_options(folder, {pool.place()});
    options.single_submit = true;
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    miner.mine(4);
    REQUIRE(eventually([&] { return miner->status().accepted == 4; }));
    REQUIRE_FALSE(overlapped);
}

TEST_CASE("enough shares or blocks end the work", "[pool_shares]") {
    const Folder folder;
    FakePool* self = nullptr;
    FakePoolSetting setting;
    const bool blocks = GENERATE(false, true);
    if (blocks) setting.nbits = "2100ffff";
    std::atomic<int> number = 0;
    setting.before_reply = [&](Peer& peer, int) {
        self->notify(peer, "on block " + std::to_string(++number), false);
        return false;
    };
    FakePool pool(setting);
    self = &pool;
    PoolOptions options = pool_options(folder, {pool.place()});
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
    miner->finish(std::chrono::seconds(60));
    REQUIRE(miner.overs() == 1);
}

TEST_CASE("of the shares that solve a block on the same one, a pool's node keeps the first", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.nbits = "2100ffff";
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return miner->status().accepted == 3; }));
    REQUIRE(miner->status().blocks == 1);
    REQUIRE(miner.said_times("IT SOLVES A BLOCK") == 1);
}

TEST_CASE("a refused share that solves a block is called what it is counted as", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.nbits = "2100ffff";
    const bool stale = GENERATE(true, false);
    setting.intercept = [&](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.submit") return false;
        const json error = stale ? json{21, "Job not found", nullptr} : json{20, "Other/Unknown", nullptr};
        peer.send_line(json({{"id", message["id"]}, {"result", nullptr}, {"error", error}}).dump());
        return true;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().stale + miner->status().rejected == 1; }));
    REQUIRE(miner->status().stale == (stale ? 1 : 0));
    REQUIRE(miner->status().blocks == 0);
    REQUIRE(eventually([&] { return miner.warned("though it SOLVES A BLOCK"); }));
    REQUIRE(miner.warned(stale ? "stale, though" : "rejected, though"));
}

TEST_CASE("what is in flight when there is enough is still answered", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    // Replies when it has got all three.
    setting.intercept = [](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.submit") return false;
        std::vector<json> ids = {message["id"]};
        while (ids.size() < 3) {
            const auto line = peer.read_line(60);
            if (!line) return true;
            const json next = json::parse(*line);
            if (next["method"] == "mining.submit") ids.push_back(next["id"]);
        }
        for (const json& id : ids) peer.send_line(json({{"id", id}, {"result", true}, {"error", nullptr}}).dump());
        return true;
    };
    FakePool pool(setting);
    PoolOptions options = pool_options(folder, {pool.place()});
    options.shares = 1;
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner->finish(std::chrono::seconds(60)));
    REQUIRE(miner->status().accepted == 3);
    REQUIRE(miner->status().unanswered == 0);
    REQUIRE(miner.overs() == 1);
}

TEST_CASE("finish() waits for replies, but not for ever", "[pool_shares]") {
    const Folder folder;
    FakePoolSetting setting;
    const bool answers = GENERATE(true, false);
    setting.before_reply = [&](Peer& peer, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (!answers) peer.wait_for_close();
        return !answers;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(3);
    if (!answers) REQUIRE(eventually([&] { return miner->status().unanswered == 3; }));
    miner->finish(answers ? std::chrono::milliseconds(20'000) : std::chrono::milliseconds(300));
    REQUIRE(miner->status().accepted == (answers ? 3U : 0U));
    REQUIRE(miner->status().unanswered == (answers ? 0U : 3U));
}
