// Tests of the client with its own thread and with sockets: TLS, floods, the end. (All else is tested on virtual time.)
#include <thread>

#include "host/errors.hpp"
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/pool/easy_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/certificates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

TEST_CASE("TLS: --insecure says so loudly; a bad certificate is a plain sentence", "[pool_threads]") {
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
