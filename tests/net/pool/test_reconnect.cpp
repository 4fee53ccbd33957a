// Tests of client.reconnect: calls that are followed, calls that are not, and their number.
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/certificates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

// A pool that asks to connect elsewhere, once logged in; the first so many times.
FakePoolSetting redirecting(json params, int times = 1) {
    FakePoolSetting setting;
    setting.after_login = [params = std::move(params), times](Peer& peer, int number) {
        if (number > times) return;
        peer.send_line(json({{"id", nullptr}, {"method", "client.reconnect"}, {"params", params}}).dump());
    };
    return setting;
}

}  // namespace

TEST_CASE("client.reconnect within the machine is followed", "[pool_reconnect]") {
    const Folder folder;
    FakePool target({});
    FakePool first(redirecting(json::array({"127.0.0.1", target.port(), 0})));
    PoolMiner miner(pool_options(folder, {first.place()}));
    REQUIRE(eventually([&] { return contains(miner->status().server, target.place()) && miner->status().connected; }));
    REQUIRE(miner.said("asks to connect to stratum+tcp://" + target.place()));
    miner.mine();
    REQUIRE(eventually([&] { return target.count("accepted") == 1; }));
}

TEST_CASE("what comes in one piece with client.reconnect, behind it, is left", "[pool_reconnect]") {
    const Folder folder;
    FakePool target({});
    FakePoolSetting setting;
    setting.after_login = [&](Peer& peer, int) {
        const json reconnect{
            {"id", nullptr}, {"method", "client.reconnect"}, {"params", json::array({"127.0.0.1", target.port()})}};
        const json message{{"id", nullptr}, {"method", "client.show_message"}, {"params", json::array({"too late"})}};
        peer.send(reconnect.dump() + "\n" + message.dump() + "\n" + message.dump());
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(eventually([&] { return target.connections() == 1; }));
    REQUIRE_FALSE(miner.said("too late"));
}

TEST_CASE("client.reconnect without a host means the same one", "[pool_reconnect]") {
    const Folder folder;
    FakePool pool(redirecting(json::array()));
    PoolOptions options = pool_options(folder, {pool.place()});
    options.redirect = GENERATE(true, false);  // it is no redirection
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return pool.connections() == 2 && miner->status().connected; }));
    REQUIRE(pool.requests("mining.subscribe").back()["params"].size() == 2);
}

TEST_CASE("client.reconnect to strangers is not followed", "[pool_reconnect]") {
    const Folder folder;
    json params;
    std::string why = "another domain";
    bool redirect = true;
    SECTION("another address") { params = json::array({"127.0.0.2", 3333}); }
    SECTION("another name") { params = json::array({"evil.example", 3333}); }
    SECTION("another port, but --no-redirect") {
        params = json::array({"127.0.0.1", 1});
        redirect = false;
        why = "--no-redirect";
    }
    FakePool pool(redirecting(params, 1000));
    PoolOptions options = pool_options(folder, {pool.place()});
    options.redirect = redirect;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.warned(why); }));
    REQUIRE(miner.has_job());
    miner.mine(2);
    REQUIRE(eventually([&] { return miner->status().accepted == 2; }));
    REQUIRE(pool.connections() == 1);
}

TEST_CASE("client.reconnect never leads from TLS to a plain connection", "[pool_reconnect]") {
    const Folder folder;
    Authority authority;
    authority.save(folder.path / "ca.pem");
    const Authority::Server identity = authority.server({});
    FakePool plain({});
    FakePool secure(redirecting(json::array({"127.0.0.1", plain.port()})), identity.context.get());
    PoolOptions options = pool_options(folder, {"stratum+ssl://" + secure.place()});
    options.tls.ca_file = (folder.path / "ca.pem").string();
    read_files(options);
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return plain.connections() > 0 && secure.connections() == 2; }));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return secure.count("accepted") == 1; }));
    REQUIRE(plain.requests("mining.subscribe").empty());
    REQUIRE(plain.requests("mining.configure").empty());
}

TEST_CASE("a redirection that leads nowhere comes back to the pool", "[pool_reconnect]") {
    const Folder folder;
    FakePool pool(redirecting(json::array({"127.0.0.1", closed_port()})));
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(eventually([&] { return pool.connections() == 2 && miner->status().connected; }));
    REQUIRE(miner->status().server == pool.place());
}

TEST_CASE("pools that send each other their miners are not followed for ever", "[pool_reconnect]") {
    const Folder folder;
    FakePoolSetting setting;
    std::atomic<std::uint16_t> other = 0;
    setting.intercept = [&](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.configure") return false;
        peer.send_line(
            json(
                {{"id", nullptr}, {"method", "client.reconnect"}, {"params", json::array({"127.0.0.1", other.load()})}})
                .dump());
        return false;
    };
    FakePool one(setting);
    FakePool two(setting);
    other = two.port();
    PoolMiner miner(pool_options(folder, {one.place()}));
    REQUIRE(eventually([&] { return miner->status().connected; }));
    REQUIRE(one.connections() + two.connections() < 12);
}
