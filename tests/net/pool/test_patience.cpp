// Tests of the limits after which a connection or a pool is given up: refusals, and silence.
#include <sys/socket.h>

#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/certificates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

// Takes the first login and cuts that connection; refuses those from the second to `last_refused`.
FakePoolSetting refusing_after_a_login(int last_refused) {
    FakePoolSetting setting;
    setting.after_login = [](Peer& peer, int number) {
        if (number == 1) shutdown(peer.socket(), SHUT_RDWR);
    };
    setting.intercept = [last_refused](Peer& peer, int number, const json& message) {
        if (message["method"] != "mining.authorize" || number == 1 || number > last_refused) return false;
        peer.send_line(
            json({{"id", message["id"]}, {"result", false}, {"error", {24, "Database is away", nullptr}}}).dump());
        return true;
    };
    return setting;
}

// The client has not closed it.
bool is_open(Peer& peer) {
    while (peer.read_line(0.01)) {
    }
    char byte = 0;
    return recv(peer.socket(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

constexpr std::chrono::milliseconds kShort{150};

}  // namespace

TEST_CASE("a pool that has taken the login once may refuse it for a while", "[pool_patience]") {
    const Folder folder;
    FakePool pool(refusing_after_a_login(3));
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(eventually([&] { return miner.over() || (pool.connections() == 4 && miner->status().connected); }));
    REQUIRE_FALSE(miner.over());
    REQUIRE(miner.said_times("Database is away") == 2);
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
}

TEST_CASE("a refusal after a login counts as an attempt", "[pool_patience]") {
    const Folder folder;
    FakePool pool(refusing_after_a_login(1000));
    PoolOptions options = pool_options(folder, {pool.place()});
    options.retries = 2;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(pool.connections() == 4);  // the first, one more, two retries
}

TEST_CASE("a pool that owes no answer may be silent for longer", "[pool_patience]") {
    const Folder folder;
    std::atomic<bool> survived = false;
    FakePoolSetting setting;
    setting.after_login = [&](Peer& peer, int) {
        std::this_thread::sleep_for(3 * kShort);
        if (is_open(peer)) survived = true;
    };
    FakePool pool(setting);
    PoolTiming timing = quick();
    timing.wait_for_answer = kShort;  // on a slow machine a login may take as long: then there is another connection
    PoolMiner miner(pool_options(folder, {pool.place()}), timing);
    REQUIRE(eventually([&] { return survived.load(); }));
}

TEST_CASE("a pool that says nothing for long is dead", "[pool_patience]") {
    const Folder folder;
    FakePoolSetting setting;
    const bool owes_login = GENERATE(true, false);
    setting.intercept = [&](Peer& peer, int number, const json& message) {
        if (number > 1 || message["method"] != (owes_login ? "mining.authorize" : "mining.submit")) return false;
        peer.wait_for_close();
        return true;
    };
    FakePool pool(setting);
    PoolTiming timing = quick();
    timing.wait_for_answer = kShort;
    PoolMiner miner(pool_options(folder, {pool.place()}), timing);
    REQUIRE(miner.has_job());
    if (!owes_login) miner.mine();
    REQUIRE(eventually([&] { return pool.connections() >= 2; }));
    REQUIRE(miner.warned("has sent nothing for"));
}

TEST_CASE("a server that takes the connection and says nothing is named", "[pool_patience]") {
    const Folder folder;
    const bool tls = GENERATE(false, true);  // then it is silent in the handshake, whose own limit is longer
    ScriptedServer server([](Peer& peer, int) { peer.wait_for_close(); });
    PoolTiming timing = quick();
    timing.name_silence = std::chrono::milliseconds(10);
    const std::string url = (tls ? "stratum+ssl://" : "") + server.place();
    PoolMiner miner(pool_options(folder, {url}), timing);
    REQUIRE(eventually(
        [&] { return miner.warned(url + " has accepted the connection and is silent; does that port speak TLS"); }));
}

TEST_CASE("a port that speaks TLS is told of as one", "[pool_patience]") {
    const Folder folder;
    Authority authority;
    const Authority::Server identity = authority.server({});
    ScriptedServer server([](Peer& peer, int) { peer.wait_for_close(); }, identity.context.get());
    PoolMiner miner(pool_options(folder, {server.place()}), quick());
    REQUIRE(eventually([&] { return miner.warned("; the URL of a port with TLS begins with stratum+ssl://"); }));
}

TEST_CASE("a line without end is not kept", "[pool_patience]") {
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

TEST_CASE("a server that sends empty lines alone is named, and left", "[pool_patience]") {
    const Folder folder;
    ScriptedServer server([](Peer& peer, int) {
        while (is_open(peer)) {
            peer.send_line("");
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    PoolTiming timing = quick();
    timing.name_silence = std::chrono::milliseconds(10);
    timing.wait_for_answer = kShort;
    PoolMiner miner(pool_options(folder, {server.place()}), timing);
    REQUIRE(eventually([&] { return miner.warned("is silent; does that port speak TLS"); }));
    REQUIRE(eventually([&] { return miner.warned("has sent nothing for"); }));
}

TEST_CASE("while there is no job because it could not be read, the status says so", "[pool_patience]") {
    const Folder folder;
    std::atomic<bool> looked = false;
    FakePoolSetting setting;
    setting.after_login = [&](Peer& peer, int number) {
        const json good = {"2",        std::string(64, '1'), "00",       "00", json::array(),
                           "20000000", "1d00ffff",           "5f000000", true};
        const auto notify = [&](const json& params) {
            peer.send_line(json{{"id", nullptr}, {"method", "mining.notify"}, {"params", params}}.dump());
        };
        if (number > 1) return;
        notify({"2", "no hash"});
        eventually([&] { return looked.load(); });
        notify(good);
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(eventually([&] { return miner->status().unreadable; }));
    CHECK(miner->status().logged_in);
    CHECK_FALSE(miner->status().connected);
    CHECK_FALSE(miner.job());
    looked = true;
    REQUIRE(eventually([&] { return miner->status().connected; }));
    CHECK_FALSE(miner->status().unreadable);
}

TEST_CASE("a pool that owes nothing is dead after a longer silence", "[pool_patience]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.after_login = [](Peer& peer, int number) {
        if (number == 1) peer.wait_for_close();
    };
    FakePool pool(setting);
    PoolTiming timing = quick();
    timing.wait_for_traffic = kShort;
    PoolMiner miner(pool_options(folder, {pool.place()}), timing);
    REQUIRE(eventually([&] { return pool.connections() >= 2; }));
    REQUIRE(miner.warned("has sent nothing for"));
}

TEST_CASE("a server that hangs up on a suggested difficulty is asked without", "[pool_patience]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.intercept = [](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.suggest_difficulty") return false;
        peer.send_line(
            json{{"id", message["id"]}, {"result", nullptr}, {"error", {20, "too slow for us", nullptr}}}.dump());
        shutdown(peer.socket(), SHUT_RDWR);
        return true;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    REQUIRE(pool.connections() == 2);
}

TEST_CASE("a refused suggestion is not the reason why a pool that gave work hangs up", "[pool_patience]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.intercept = [](Peer& peer, int number, const json& message) {
        if (message["method"] == "mining.suggest_difficulty") {
            peer.send_line(
                json{{"id", message["id"]}, {"result", nullptr}, {"error", {20, "unknown method", nullptr}}}.dump());
            return true;
        }
        if (message["method"] != "mining.submit" || number > 1) return false;
        shutdown(peer.socket(), SHUT_RDWR);
        return true;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return miner.warned("closed the connection"); }));
    REQUIRE_FALSE(miner.warned("it had refused the suggested difficulty"));
}

TEST_CASE("shares below a difficulty that was raised just now do not count against the pool", "[pool_patience]") {
    const Folder folder;
    FakePoolSetting setting;
    std::vector<json> held;
    setting.intercept = [&](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.submit") return false;
        held.push_back(message["id"]);
        if (held.size() < 30) return true;
        if (held.size() > 30) return false;
        peer.send_line(R"({"id":null,"method":"mining.set_difficulty","params":[2e-9]})");
        for (const json& id : held)
            peer.send_line(json{{"id", id}, {"result", nullptr}, {"error", {23, "Low difficulty", nullptr}}}.dump());
        return true;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(30);
    REQUIRE(eventually([&] { return miner->status().rejected == 30; }));
    REQUIRE(miner->status().difficulty == 2e-9);
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    REQUIRE(pool.connections() == 1);
    REQUIRE_FALSE(miner.said("version bits"));
}

TEST_CASE("a pool that refuses every share is left alone for a while", "[pool_patience]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.intercept = [](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.submit") return false;
        peer.send_line(json{{"id", message["id"]}, {"result", nullptr}, {"error", {24, "banned", nullptr}}}.dump());
        return true;
    };
    FakePool refuses(setting);
    FakePool works({});
    PoolMiner miner(pool_options(folder, {refuses.place(), works.place()}));
    REQUIRE(miner.has_job());
    miner.mine(20);
    REQUIRE(eventually([&] {
        return miner.warned(
            "the pool has refused 20 shares in a row, the last one as 'banned (24)'; it is not used for 1 min");
    }));
    REQUIRE(eventually([&] { return miner->status().server == works.place(); }));
    REQUIRE(miner->status().rejected == 20);
}
