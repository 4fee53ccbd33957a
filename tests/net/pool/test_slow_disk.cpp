// Tests of the pool's client over a disk that hangs. Shares wait for it as long as was said, and no longer.
#include "tests/catch.hpp"
#include "tests/net/journal/played_disk.hpp"
#include "tests/net/pool/easy_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

struct DiskOfPool {
    std::shared_ptr<Disk> disk = std::make_shared<Disk>();
    ~DiskOfPool() { disk->go_on(); }  // so that an abandoned thread ends

    [[nodiscard]] std::unique_ptr<JournalStore> store(std::vector<json> left = {}) const {
        return std::make_unique<PlayedStore>(disk, std::move(left));
    }
    [[nodiscard]] std::size_t count(const std::string& event) const {
        const std::string text = disk->text();
        const std::string part = "\"event\":\"" + event + "\"";
        std::size_t times = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
        return times;
    }
};

PoolTiming with_patience(std::chrono::milliseconds patience) {
    PoolTiming timing = quick();
    timing.journal = {.patience = patience,
                      .after_hurry = std::chrono::milliseconds(5),
                      .at_end = std::chrono::milliseconds(50),
                      .at_end_if_late = std::chrono::milliseconds(5)};
    return timing;
}

}  // namespace

TEST_CASE("while the disk hangs shares are sent all the same, with one warning", "[slow_disk]") {
    const Folder folder;
    const DiskOfPool played;
    EasyPool pool;
    PoolMiner miner(pool_options(folder, {pool.place()}), with_patience(std::chrono::milliseconds(50)), played.store());
    REQUIRE(miner.has_job());
    played.disk->hang();
    for (std::uint64_t shares = 1; shares <= 3; ++shares) {
        miner.mine();
        REQUIRE(eventually([&] { return miner->status().accepted == shares; }));
    }
    REQUIRE(miner.warned("the disk has not responded for 0.05 s"));
    REQUIRE(played.count("share") == 0);
    played.disk->go_on();
    REQUIRE(eventually([&] { return played.count("share") == 3 && played.count("reply") == 3; }));
    REQUIRE(eventually([&] { return miner.said("the disk responds again"); }));
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 4; }));
    REQUIRE(miner.said_times("the disk has not responded") == 1);
}

TEST_CASE("what waits for the disk when the program ends is sent", "[slow_disk]") {
    const Folder folder;
    const DiskOfPool played;
    EasyPool pool;
    PoolMiner miner(pool_options(folder, {pool.place()}), with_patience(std::chrono::hours(1)), played.store());
    REQUIRE(miner.has_job());
    played.disk->hang();
    miner.mine();
    REQUIRE(miner->finish(std::chrono::seconds(60)));
    REQUIRE(miner->status().accepted == 1);
    REQUIRE(pool.shares == 1);
    miner.kill();  // which does not wait for the disk
    REQUIRE(miner.warned("entries of the journal 'played.jsonl' were lost"));
}

TEST_CASE("a disk that hangs from the beginning does not keep from mining", "[slow_disk]") {
    const Folder folder;
    const DiskOfPool played;
    EasyPool pool;
    const PoolOptions options = pool_options(folder, {pool.place()});
    json left{{"event", "share"},
              {"id", "earlier"},
              {"pool", canonical_url(options.pools[0].url)},
              {"user", options.pools[0].user},
              {"extranonce1", "0a0b0c0d"},
              {"job", "job0"},
              {"extranonce2", "00000000"},
              {"ntime", "66aabbcc"},
              {"nonce", "00000000"},
              {"hash", std::string(64, '0')},
              {"difficulty", 1e-9},
              {"block", false}};
    const bool fits = GENERATE(true, false);
    if (!fits) left["extranonce1"] = "01020304";
    played.disk->hang();
    PoolMiner miner(options, with_patience(std::chrono::milliseconds(50)), played.store({left}));
    REQUIRE(miner.warned("the disk has not responded for 0.05 s"));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    // What an earlier run left is taken up when the disk answers.
    played.disk->go_on();
    if (fits) {
        REQUIRE(eventually([&] { return pool.shares == 2; }));
        REQUIRE(eventually([&] { return played.count("reply") == 2; }));
        REQUIRE(played.count("dropped") == 0);
    } else {
        REQUIRE(eventually([&] { return played.count("dropped") == 1; }));
        REQUIRE(pool.shares == 1);
    }
    REQUIRE(eventually([&] { return miner->status().unanswered == 0; }));
}
