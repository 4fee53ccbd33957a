// Tests of the client with a pool of Verus, which judges shares as the reference's pool does: by the node's block with
// the share's solution in it (github.com/hellcatz/node-stratum-pool, lib/jobManager.js).
#include <atomic>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/stratum/verus_block.hpp"
#include "verushash/algorithm.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

class VerusPool {
public:
    struct Setting {
        std::string target = "0" + std::string(63, 'f');                               // one hash of sixteen
        std::function<bool(int connection)> before_reply = [](int) { return false; };  // true: the connection ends
        std::string nbits = "ffff0f1e";
        bool one_nonce1 = false;  ///< for all connections
    };
    explicit VerusPool(Setting setting)
        : setting_(std::move(setting)),
          block_(7, 2, setting_.nbits),
          server_([this](Peer& peer, int number) { serve(peer, number); }) {}

    [[nodiscard]] std::string place() const { return server_.place(); }
    [[nodiscard]] std::vector<json> methods() const {
        const std::lock_guard lock(mutex_);
        return methods_;
    }
    [[nodiscard]] std::vector<std::string> verdicts() const {
        const std::lock_guard lock(mutex_);
        return verdicts_;
    }

private:
    void serve(Peer& peer, int number) {
        const std::string nonce1 = setting_.one_nonce1 ? "80000000" : fmt::format("{:08x}", 0x80000000 + number);
        while (const auto line = peer.read_line()) {
            const json message = json::parse(*line);
            const std::string method = message["method"];
            json reply{{"id", message["id"]}, {"result", true}, {"error", nullptr}};
            {
                const std::lock_guard lock(mutex_);
                methods_.push_back(method);
            }
            if (method == "mining.subscribe") {
                reply["result"] = json::array({nullptr, nonce1});
            } else if (method == "mining.submit") {
                const std::string verdict = judge(message["params"], nonce1);
                if (setting_.before_reply(number)) return;
                if (!verdict.empty()) reply["error"] = json::array({20, verdict});
                if (!verdict.empty()) reply["result"] = nullptr;
            } else if (method == "mining.extranonce.subscribe") {
                reply["result"] = false;
                reply["error"] = json::array({20, "Not supported.", nullptr});
            }
            peer.send_line(reply.dump());
            if (method != "mining.subscribe") continue;
            call(peer, "mining.set_target", json::array({setting_.target}));
            call(peer, "mining.notify", block_.notify("ccce", true));
        }
    }
    static void call(Peer& peer, const char* method, const json& params) {
        peer.send_line(json({{"id", nullptr}, {"method", method}, {"params", params}}).dump());
    }
    std::string judge(const json& params, const std::string& nonce1) {
        const std::lock_guard lock(mutex_);
        verdicts_.push_back(verdict_of(params, nonce1));
        return verdicts_.back() == "accepted" ? std::string() : verdicts_.back();
    }
    std::string verdict_of(const json& params, const std::string& nonce1) {
        const std::string nonce2 = params[3], solution = params[4];
        if (params[1] != "ccce") return "job not found";
        if (params[2] != block_.time) return "ntime out of range";
        if (nonce1.size() + nonce2.size() != 64) return "incorrect size of nonce";
        if (solution.size() != 2694) return "incorrect size of solution";
        if (solution.substr(6, 8) != block_.solution.substr(0, 8)) return "invalid solution version";
        if (!known_.insert(nonce2 + solution).second) return "duplicate share";
        if (solution.substr(solution.size() - 30).find(nonce1) == std::string::npos) return "pool nonce missing";
        const Hash256 hash = verus_hash(block_.with(params[2], solution, block_.nonce));
        return hash.hex() <= setting_.target ? "accepted" : "low difficulty share";
    }

    const Setting setting_;
    const VerusBlock block_;
    mutable std::mutex mutex_;
    std::vector<json> methods_;
    std::vector<std::string> verdicts_;
    std::set<std::string> known_;
    ScriptedServer server_;
};

PoolOptions verus_options(const Folder& folder, const VerusPool& pool) {
    PoolOptions options = pool_options(folder, {pool.place()});
    options.algorithm = &kVerusHash;
    options.pools[0].user = "RVerusAddress.worker";
    return options;
}

}  // namespace

TEST_CASE("a pool of Verus accepts what is found for it", "[pool_verus]") {
    const Folder folder;
    VerusPool pool({});
    PoolMiner miner(verus_options(folder, pool));
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return pool.verdicts().size() == 3; }));
    CHECK(pool.verdicts() == std::vector<std::string>(3, "accepted"));
    REQUIRE(eventually([&] { return miner->status().accepted == 3; }));
    const WorkStatus status = miner->status();
    CHECK(status.rejected == 0);
    CHECK(status.accepted_difficulty * kHashesPerDifficulty == Approx(48).epsilon(0.01));
    CHECK(status.details["extranonce1"] == "80000001");
    CHECK(status.details["payment"] == nullptr);
    for (const char* unknown : {"mining.configure", "mining.suggest_difficulty"})
        CHECK(std::ranges::count(pool.methods(), unknown) == 0);
    CHECK_FALSE(miner.warned(""));
    CHECK(folder.count("reply") == 3);
}

TEST_CASE("a share for a pool of Verus outlives the program", "[pool_verus]") {
    const Folder folder;
    std::atomic<bool> gone = true;
    VerusPool::Setting setting;
    setting.nbits = "ffff1f20";  // twice the target of shares: every one solves a block
    setting.one_nonce1 = true;
    setting.before_reply = [&](int) { return gone.load(); };
    VerusPool pool(setting);
    {
        PoolMiner miner(verus_options(folder, pool));
        REQUIRE(miner.has_job());
        miner.mine();
        REQUIRE(eventually([&] { return !pool.verdicts().empty(); }));
        miner.kill();
    }
    gone = false;
    PoolMiner miner(verus_options(folder, pool));
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    const std::vector<std::string> verdicts = pool.verdicts();
    CHECK(verdicts.front() == "accepted");
    CHECK(verdicts.back() == "duplicate share");  // it had it already
    CHECK(std::ranges::count(verdicts, "accepted") == 1);
    const auto entries = folder.journal();
    const auto share = std::ranges::find_if(entries, [](const json& entry) { return entry["event"] == "share"; });
    REQUIRE(share != entries.end());
    CHECK((*share)["previous"] == "a0" + std::string(62, '1'));
    CHECK((*share)["solution"].get<std::string>().size() == 2694);
}

TEST_CASE("shares of a session with a pool of Verus that has ended are given up", "[pool_verus]") {
    const Folder folder;
    VerusPool::Setting setting;
    setting.before_reply = [](int connection) { return connection == 1; };
    VerusPool pool(setting);
    PoolMiner miner(verus_options(folder, pool));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return folder.count("dropped") == 1; }));
    REQUIRE(eventually([&] { return miner.jobs() >= 3; }));  // the first, none, the next
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    CHECK(pool.verdicts() == std::vector<std::string>(2, "accepted"));
}
