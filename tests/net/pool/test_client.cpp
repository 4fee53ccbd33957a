// Logins, fail-over, redirection and silence: what keeps a miner with the best pool there is.
#include <fstream>

#include <sys/socket.h>

#include "host/errors.hpp"
#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/fake_pool.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/certificates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::net::test;
using nlohmann::json;

namespace {

std::string nobody() { return "127.0.0.1:" + std::to_string(closed_port()); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

FakePoolSetting refusing() {
    FakePoolSetting setting;
    setting.authorize = false;
    return setting;
}

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

TEST_CASE("logging in, and what the user is told", "[pool_client]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.difficulty = 0.0017;  // 7.3 s at 1 MH/s
    FakePool pool(setting);
    PoolOptions options = pool_options(folder, {pool.place()});
    options.pools[0].user = "bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c.rig";
    options.pools[0].password = "very secret";
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    REQUIRE(eventually([&] { return miner.said("logged in to " + pool.place() + " as bcrt1q"); }));
    INFO(miner.all_said());
    REQUIRE(miner.said("difficulty 0.0017, a share every 7.3 s at 1.00 MH/s"));
    // The fake pool's coinbase pays twenty times 0x11, which is this address.
    REQUIRE(eventually(
        [&] { return miner.said("the coinbase pays bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c 50 BTC of 50 BTC"); }));
    REQUIRE_FALSE(miner.said("secret"));
    REQUIRE_FALSE(has(miner->status().details.dump(), "secret"));
    std::ifstream journal(folder.path / "pool.jsonl");
    REQUIRE_FALSE(has(std::string(std::istreambuf_iterator<char>(journal), {}), "secret"));
    REQUIRE(pool.requests("mining.authorize")[0]["params"] == json({options.pools[0].user, "very secret"}));
    REQUIRE(miner->status().connected);
    REQUIRE(miner->status().server == pool.place());
    REQUIRE(miner->status().difficulty == Approx(0.0017));
    REQUIRE(miner->status().network_difficulty == Approx(1));
}

TEST_CASE("the difficulty suggested is the user's, or one share in 7.5 s", "[pool_client]") {
    const Folder folder;
    FakePool pool({});
    PoolOptions options = pool_options(folder, {pool.place()});
    const bool measured = GENERATE(true, false);
    if (measured) options.suggest_difficulty.reset();
    PoolMiner miner(options);
    REQUIRE(miner.has_job());
    // Before the first job, and again after the login.
    REQUIRE(eventually([&] { return pool.requests("mining.suggest_difficulty").size() == 2; }));
    const double suggested = pool.requests("mining.suggest_difficulty")[0]["params"][0].get<double>();
    REQUIRE(suggested == Approx(measured ? 1e6 * 7.5 / 4294967296.0 : 0.001));
}

TEST_CASE("shares that take more than an hour are warned of", "[pool_client]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.difficulty = 100'000;
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(eventually([&] { return miner.warned("--suggest-diff"); }));
}

TEST_CASE("a pool that sends one byte at a time", "[pool_client]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.piece = 1;
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return miner->status().accepted == 3; }));
}

TEST_CASE("the next pool is used while the first cannot be", "[pool_client]") {
    const Folder folder;
    FakePool refuses(refusing());
    FakePool works({});
    PoolMiner miner(pool_options(folder, {nobody(), refuses.place(), works.place()}));
    REQUIRE(miner.has_job());
    REQUIRE(miner->status().server == works.place());
    REQUIRE(miner.warned("cannot be reached: Connection refused"));
    REQUIRE(miner.warned("Unauthorized worker"));
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    const json pools = miner->status().details["pools"];
    REQUIRE(has(pools[0]["last_error"], "Connection refused"));
    REQUIRE(pools[0]["connects"] == 0);
    REQUIRE(pools[2]["connects"] == 1);
    REQUIRE(pools[2]["accepted"] == 1);
}

TEST_CASE("when every pool refuses the login, that is the end", "[pool_client]") {
    const Folder folder;
    FakePool one(refusing());
    FakePool two(refusing());
    PoolMiner miner(pool_options(folder, {one.place(), two.place()}));
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(has(miner.over()->second, one.place()));
    REQUIRE(has(miner.over()->second, "Unauthorized worker"));
    REQUIRE(one.connections() == 1);
    REQUIRE(two.connections() == 1);
    REQUIRE(miner.job() == nullptr);
}

TEST_CASE("a pool that refuses the login is left alone while another is only away", "[pool_client]") {
    const Folder folder;
    FakePool refuses(refusing());
    PoolOptions options = pool_options(folder, {refuses.place(), nobody()});
    options.retries = 3;
    options.retry_pause = 0.005;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(has(miner.over()->second, "Connection refused"));
    REQUIRE(has(miner.over()->second, "Unauthorized worker"));
    REQUIRE(refuses.connections() == 1);
    REQUIRE(miner.said_times("Connection refused") == 4);  // the first attempt and three more
}

TEST_CASE("retries used up", "[pool_client]") {
    const Folder folder;
    PoolOptions options = pool_options(folder, {nobody()});
    options.retries = 0;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(has(miner.over()->second, "cannot be reached: Connection refused"));
    REQUIRE(miner.overs() == 1);
}

TEST_CASE("from a fallback pool back to the first, as soon as that takes the login", "[pool_client]") {
    const Folder folder;
    std::atomic<bool> up = false;
    FakePoolSetting setting;
    setting.intercept = [&](Peer& peer, int, const json&) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        return !up;
    };
    FakePool first(setting);
    FakePool second({});
    PoolTiming timing = quick();
    timing.retry_better_pool = std::chrono::milliseconds(30);
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}), timing);
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner.job() != nullptr; }));
    // The fallback goes on while the first one is tried.
    REQUIRE(eventually([&] { return first.connections() >= 6; }));
    REQUIRE(second.connections() == 1);
    const int jobs = miner.jobs();
    miner.mine();
    REQUIRE(eventually([&] { return second.count("accepted") == 1; }));
    REQUIRE(miner.jobs() == jobs);
    up = true;
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    miner.mine();
    REQUIRE(eventually([&] { return first.count("accepted") == 1; }));
    REQUIRE(second.connections() == 1);
}

TEST_CASE("when a fallback breaks, the first pool has its turn", "[pool_client]") {
    const Folder folder;
    std::atomic<bool> up = false;
    std::atomic<bool> cut = false;
    FakePoolSetting one;
    one.intercept = [&](Peer& peer, int, const json&) {
        if (!up) shutdown(peer.socket(), SHUT_RDWR);
        return !up;
    };
    FakePoolSetting two;
    two.after_login = [&](Peer& peer, int) {
        eventually([&] { return cut.load(); });
        shutdown(peer.socket(), SHUT_RDWR);
    };
    FakePool first(one);
    FakePool second(two);
    PoolMiner miner(pool_options(folder, {first.place(), second.place()}));
    REQUIRE(eventually([&] { return miner->status().server == second.place() && miner.job() != nullptr; }));
    up = true;
    cut = true;
    REQUIRE(eventually([&] { return miner->status().server == first.place() && miner->status().connected; }));
    REQUIRE(miner.warned("closed the connection; connecting again"));
}

TEST_CASE("client.reconnect within the machine is followed", "[pool_client]") {
    const Folder folder;
    FakePool target({});
    FakePool first(redirecting(json::array({"127.0.0.1", target.port(), 0})));
    PoolMiner miner(pool_options(folder, {first.place()}));
    REQUIRE(eventually([&] { return has(miner->status().server, target.place()) && miner->status().connected; }));
    REQUIRE(miner.said("asks to connect to stratum+tcp://" + target.place()));
    miner.mine();
    REQUIRE(eventually([&] { return target.count("accepted") == 1; }));
}

TEST_CASE("client.reconnect without a host means the same one", "[pool_client]") {
    const Folder folder;
    FakePool pool(redirecting(json::array()));
    PoolOptions options = pool_options(folder, {pool.place()});
    options.redirect = GENERATE(true, false);  // it is no redirection
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return pool.connections() == 2 && miner->status().connected; }));
    REQUIRE(pool.requests("mining.subscribe").back()["params"].size() == 2);
}

TEST_CASE("client.reconnect to strangers is not followed", "[pool_client]") {
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

TEST_CASE("client.reconnect never leads from TLS to a plain connection", "[pool_client]") {
    const Folder folder;
    Authority authority;
    authority.save(folder.path / "ca.pem");
    const Authority::Server identity = authority.server({});
    FakePool plain({});
    FakePool secure(redirecting(json::array({"127.0.0.1", plain.port()})), identity.context.get());
    PoolOptions options = pool_options(folder, {"stratum+ssl://" + secure.place()});
    options.tls.ca_file = (folder.path / "ca.pem").string();
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return plain.connections() > 0 && secure.connections() == 2; }));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return secure.count("accepted") == 1; }));
    REQUIRE(plain.requests("mining.subscribe").empty());
    REQUIRE(plain.requests("mining.configure").empty());
}

TEST_CASE("a redirection that leads nowhere comes back to the pool", "[pool_client]") {
    const Folder folder;
    FakePool pool(redirecting(json::array({"127.0.0.1", closed_port()})));
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(eventually([&] { return pool.connections() == 2 && miner->status().connected; }));
    REQUIRE(miner->status().server == pool.place());
}

TEST_CASE("pools that send each other their miners are not followed for ever", "[pool_client]") {
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

TEST_CASE("a server that hangs up on mining.configure is asked without", "[pool_client]") {
    const Folder folder;
    FakePoolSetting setting;
    setting.intercept = [](Peer& peer, int, const json& message) {
        if (message["method"] != "mining.configure") return false;
        shutdown(peer.socket(), SHUT_RDWR);
        return true;
    };
    FakePool pool(setting);
    PoolMiner miner(pool_options(folder, {pool.place()}));
    REQUIRE(miner.has_job());
    REQUIRE(miner.job()->version_mask() == 0);
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    REQUIRE(pool.connections() == 2);
}

TEST_CASE("servers that are no pools", "[pool_client]") {
    const Folder folder;
    const std::string answer = GENERATE(as<std::string>{}, "HTTP/1.1 400 Bad Request\r\n\r\n", "\n\n\n[[[[[[\n",
                                        "{\"id\":1,\"result\":[],\"error\":null}\n{\"id\":2,\"result\":7}\n",
                                        "{\"method\":\"mining.notify\",\"params\":{}}\n\x01\x02\xff\n");
    ScriptedServer server([&](Peer& peer, int) {
        peer.read_line();
        peer.send(answer);
        peer.read_line(0.05);
    });
    PoolOptions options = pool_options(folder, {server.place()});
    options.retries = 1;
    PoolMiner miner(options);
    REQUIRE(eventually([&] { return miner.over().has_value(); }));
    REQUIRE(miner.over()->first == Outcome::kRefused);
    REQUIRE(has(miner.over()->second, server.place()));
    for (const char c : miner.all_said()) REQUIRE((c == '\n' || (c >= 0x20 && c < 0x7f)));
}

TEST_CASE("TLS: --insecure says so loudly; a bad certificate is a plain sentence", "[pool_client]") {
    const Folder folder;
    Authority authority;
    const Authority::Server identity = authority.server({});
    FakePool pool({}, identity.context.get());
    PoolOptions options = pool_options(folder, {"stratum+ssl://" + pool.place()});
    options.tls.insecure = GENERATE(true, false);
    options.retries = 0;
    PoolMiner miner(options);
    if (options.tls.insecure) {
        REQUIRE(miner.has_job());
        REQUIRE(miner.warned("--insecure: nobody verifies"));
        miner.mine();
        REQUIRE(eventually([&] { return pool.count("accepted") == 1; }));
    } else {
        REQUIRE(eventually([&] { return miner.over().has_value(); }));
        REQUIRE(has(miner.over()->second, "not signed by an authority that this system trusts"));
        REQUIRE(pool.requests("mining.authorize").empty());
    }
}

TEST_CASE("the client ends at once, whatever it is doing", "[pool_client]") {
    const Folder folder;
    std::atomic<bool> done = false;
    ScriptedServer silent([&](Peer&, int) { eventually([&] { return done.load(); }); });
    const std::string where = GENERATE_REF(silent.place(), nobody(), std::string("name.invalid:3333"));
    PoolOptions options = pool_options(folder, {where});
    options.retry_pause = 1000;
    {
        PoolMiner miner(options);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        miner->finish(std::chrono::seconds(60));
        REQUIRE_FALSE(miner->status().connected);
    }
    done = true;
}

TEST_CASE("options that cannot work are refused at the start", "[pool_client]") {
    const Folder folder;
    PoolOptions options = pool_options(folder, {"ssl://127.0.0.1:1"});
    options.tls.ca_file = (folder.path / "missing.pem").string();
    REQUIRE_THROWS_AS(make_pool_client(options, {}), InputError);
    options.tls.ca_file.clear();
    options.journal = "/dev/null/journal";
    REQUIRE_THROWS_AS(make_pool_client(options, {}), InputError);
}
