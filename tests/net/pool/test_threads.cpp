// Tests of the client with its own thread, sockets and a disk that hangs. (All else is tested on virtual time.)
#include <atomic>
#include <thread>

#include "host/errors.hpp"
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/journal/played_disk.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/certificates.hpp"
#include "tests/net/transport/scripted_server.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

/// The least that a pool says: it takes every login and every share.
class EasyPool {
public:
    explicit EasyPool(SSL_CTX* tls = nullptr) : server_([this](Peer& peer, int) { serve(peer); }, tls) {}

    std::atomic<int> logins = 0;
    std::atomic<int> shares = 0;         ///< that came
    std::atomic<int> replies = 0;        ///< to shares
    std::atomic<bool> answering = true;  ///< else shares, and what comes after them, wait for a reply
    [[nodiscard]] std::string place() const { return server_.place(); }

private:
    void serve(Peer& peer) {
        while (const auto line = peer.read_line()) {
            const json message = json::parse(*line);
            const std::string method = message["method"];
            json result = true;
            if (method == "mining.configure") result = json::object();
            if (method == "mining.subscribe")
                result = json::array({json::array({json::array({"mining.notify", "cafe01"})}), "0a0b0c0d", 4});
            if (method == "mining.submit") {
                ++shares;
                eventually([this] { return answering.load(); });
            }
            peer.send_line(json({{"id", message["id"]}, {"result", result}, {"error", nullptr}}).dump());
            if (method == "mining.submit") ++replies;
            if (method != "mining.authorize") continue;
            ++logins;
            peer.send_line(R"({"id":null,"method":"mining.set_difficulty","params":[1e-9]})");
            const json work = {"job",      std::string(64, '1'), "01000000", "00000000", json::array(),
                               "20000000", "1d00ffff",           "65000000", true};
            peer.send_line(json({{"id", nullptr}, {"method", "mining.notify"}, {"params", work}}).dump());
        }
    }

    ScriptedServer server_;
};

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

TEST_CASE("TLS: --insecure says so loudly, and a bad certificate is a plain sentence", "[pool_threads]") {
    const Folder folder;
    Authority authority;
    const Authority::Server identity = authority.server({});
    EasyPool pool(identity.context.get());
    PoolOptions options = pool_options(folder, {"stratum+ssl://" + pool.place()});
    options.tls.insecure = GENERATE(true, false);
    options.retries = 0;
    PoolMiner miner(options);
    if (options.tls.insecure) {
        REQUIRE(miner.has_job());
        REQUIRE(miner.warned("--insecure: 127.0.0.1 is not verified"));
        miner.mine();
        REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    } else {
        REQUIRE(eventually([&] { return miner.over().has_value(); }));
        REQUIRE(contains(miner.over()->second, "not signed by an authority that this system trusts"));
        REQUIRE(pool.logins == 0);
    }
}

TEST_CASE("a server that takes the connection and is silent in the TLS handshake is named", "[pool_threads]") {
    const Folder folder;
    ScriptedServer server([](Peer& peer, int) { peer.wait_for_close(); });
    PoolTiming timing = quick();
    timing.name_silence = std::chrono::milliseconds(10);  // the handshake's own limit is longer
    const std::string url = "stratum+ssl://" + server.place();
    PoolMiner miner(pool_options(folder, {url}), timing);
    REQUIRE(eventually(
        [&] { return miner.warned(url + " has accepted the connection and is silent; does that port speak TLS"); }));
}

TEST_CASE("a line without end is not kept", "[pool_threads]") {
    const Folder folder;
    std::atomic<std::size_t> sent = 0;
    ScriptedServer server([&](Peer& peer, int) {
        const std::string piece(1024 * 1024, 'x');
        for (int i = 0; i < 100 && peer.send(piece); ++i) {
        }
        sent = peer.sent();
    });
    PoolMiner miner(pool_options(folder, {server.place()}), quick());
    REQUIRE(eventually([&] { return miner.warned("the pool sent a line of more than 1 MiB"); }));
    REQUIRE(eventually([&] { return sent > 0; }));
    REQUIRE(sent < 60 * 1024 * 1024);
}

TEST_CASE("shares that come too fast are counted and warned of while they come", "[pool_threads]") {
    const Folder folder;
    EasyPool pool;
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

TEST_CASE("finish() waits for replies, but not for ever", "[pool_threads]") {
    const Folder folder;
    EasyPool pool;
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    pool.answering = GENERATE(true, false);
    miner.mine(3);
    REQUIRE(eventually([&] { return pool.shares > 0; }));
    REQUIRE(miner->finish(std::chrono::milliseconds(pool.answering ? 60'000 : 10)) == pool.answering);
    REQUIRE(miner->status().accepted == (pool.answering ? 3U : 0U));
    pool.answering = true;
}

TEST_CASE("the last status agrees with the journal", "[pool_threads]") {
    const Folder folder;
    EasyPool pool;
    pool.answering = false;
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return folder.count("share") == 3 && pool.shares > 0; }));
    const WorkStatus last = miner->end();
    pool.answering = true;
    CHECK(last.unanswered == 3);
    CHECK(last.accepted == 0);
    REQUIRE(eventually([&] { return pool.replies > 0; }));
    CHECK(miner->status().unanswered == 3);
    CHECK(folder.count("reply") == 0);
}

TEST_CASE("the client ends at once, whatever it is doing", "[pool_threads]") {
    const Folder folder;
    ScriptedServer silent([](Peer& peer, int) { peer.wait_for_close(); });
    const std::string where = GENERATE_REF(silent.place(), closed_place(), std::string("name.invalid:3333"));
    PoolOptions options = pool_options(folder, {where});
    options.retry_pause = 1000;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.said("connecting to"); }));
    miner->finish(std::chrono::seconds(60));
    REQUIRE_FALSE(miner->status().connected);
}

TEST_CASE("options that cannot work are refused at the start", "[pool_threads]") {
    const Folder folder;
    PoolOptions options = pool_options(folder, {"ssl://127.0.0.1:1"});
    options.tls.ca_file = (folder.path / "missing.pem").string();
    REQUIRE_THROWS_AS(read_files(options), InputError);
    REQUIRE_THROWS_AS(make_pool_client(options, {}), InputError);
    options.tls.ca_file.clear();
    options.journal = "/dev/null/journal";
    REQUIRE_THROWS_AS(make_pool_client(options, {}), InputError);
}

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
