// Tests of very many shares: more than a connection or the journal takes at once.
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "net/pool/pending_shares.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

constexpr std::size_t kShares = 350;

// What a run that was killed left behind: a session, and shares without a reply.
void leave_unanswered(const PoolOptions& options) {
    const std::string pool = canonical_url(options.pools[0].url);
    const std::string& user = options.pools[0].user;
    std::ofstream file(options.journal);
    file << json({{"event", "session"},
                  {"time", 1},
                  {"pool", pool},
                  {"user", user},
                  {"session", "cafe01"},
                  {"extranonce1", "0a0b0c0d"},
                  {"extranonce2_size", 4}})
                .dump()
         << "\n";
    for (std::size_t i = 0; i < kShares; ++i) {
        file << json({{"event", "share"},
                      {"id", fmt::format("earlier-{}", i)},
                      {"time", 1},
                      {"pool", pool},
                      {"user", user},
                      {"session", "cafe01"},
                      {"extranonce1", "0a0b0c0d"},
                      {"job", "job0"},
                      {"extranonce2", "00000000"},
                      {"ntime", "66aabbcc"},
                      {"nonce", fmt::format("{:08x}", i)},
                      {"header", "00"},
                      {"hash", fmt::format("{:064x}", i)},
                      {"difficulty", 1e-9},
                      {"block", false}})
                    .dump()
             << "\n";
    }
}

}  // namespace

TEST_CASE("very many shares of a resumed session are sent again by and by", "[pool_flood]") {
    const Folder folder;
    std::size_t most = 0;
    FakePoolSetting setting;
    // Replies only when nothing more comes.
    setting.intercept = [&](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.submit") return false;
        std::vector<json> ids = {message["id"]};
        while (const auto line = peer.read_line(0.1)) {
            const json next = json::parse(*line);
            if (next["method"] == "mining.submit") ids.push_back(next["id"]);
        }
        most = std::max(most, ids.size());
        for (const json& id : ids) peer.send_line(json({{"id", id}, {"result", true}, {"error", nullptr}}).dump());
        return true;
    };
    FakePool pool(setting);
    const PoolOptions options = pool_options(folder, {pool.place()});
    leave_unanswered(options);
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner->status().accepted == kShares; }));
    REQUIRE(miner->status().details["resent"] == kShares);
    REQUIRE(eventually([&] { return miner->status().unanswered == 0; }));
    REQUIRE(pool.connections() == 1);
    REQUIRE(most <= 100);
}

TEST_CASE("a pool that never answers shares sent again gets all of them, and the new ones", "[pool_flood]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.intercept = [&](Peer&, int, const json& message) {
        return message["method"] == "mining.submit" && message["params"][1] == "job0";
    };
    FakePool pool(setting);
    const PoolOptions options = pool_options(folder, {pool.place()});
    leave_unanswered(options);
    PoolTiming timing = quick();
    const bool soon = GENERATE(true, false);
    if (soon) timing.wait_for_reply = std::chrono::milliseconds(10);
    PoolMiner miner(options, timing);
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    if (soon) {
        REQUIRE(eventually([&] { return pool.requests("mining.submit").size() == kShares + 1; }));
    } else {
        REQUIRE(eventually([&] { return pool.requests("mining.submit").size() == 101; }));
    }
    REQUIRE(pool.connections() == 1);
}

TEST_CASE("shares that come too fast are counted and warned of while they come", "[pool_flood]") {
    const Folder folder;
    FakePool pool({});
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    REQUIRE(miner->status().details["lost"] == 0);
    const JobHit found = miner.search(miner.job());
    std::atomic<bool> done = false;
    std::thread flood([&] {
        while (!done) miner->found(found);
    });
    const bool warned = eventually([&] { return miner.warned("shares were lost"); });
    done = true;
    flood.join();
    REQUIRE(warned);
    REQUIRE(miner->status().details["lost"].get<std::uint64_t>() > 0);
}
