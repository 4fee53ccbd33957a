// Tests of the client with a pool of Verus, which judges shares as the reference's pool does: by the node's block with
// the share's solution in it (github.com/hellcatz/node-stratum-pool, lib/jobManager.js).
#include <functional>
#include <set>

#include <fmt/format.h>

#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"
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
    explicit VerusPool(Stage& stage, Setting setting)
        : setting_(std::move(setting)), block_(7, 2, setting_.nbits), pool_(stage, script()) {}

    [[nodiscard]] const std::string& place() const { return pool_.place(); }
    [[nodiscard]] const std::vector<json>& messages() const { return pool_.messages(); }
    [[nodiscard]] const std::vector<std::string>& verdicts() const { return verdicts_; }

private:
    PoolTraits script() {
        PoolTraits traits;
        traits.intercept = [this](Wire& wire, const json& message) {
            answer(wire, message);
            return true;
        };
        return traits;
    }
    void answer(Wire& wire, const json& message) {
        const int number = wire.side.number;
        const std::string nonce1 = setting_.one_nonce1 ? "80000000" : fmt::format("{:08x}", 0x80000000 + number);
        const std::string method = message["method"];
        if (method == "mining.extranonce.subscribe")
            return wire.reply(refusal(message, {20, "Not supported.", nullptr}));
        if (method == "mining.submit") {
            verdicts_.push_back(verdict_of(message["params"], nonce1));
            if (setting_.before_reply(number)) return wire.hang_up();
            if (verdicts_.back() != "accepted") return wire.reply(refusal(message, {20, verdicts_.back()}));
        }
        wire.reply(acceptance(message, method == "mining.subscribe" ? json::array({nullptr, nonce1}) : json(true)));
        if (method != "mining.subscribe") return;
        wire.reply(call("mining.set_target", json::array({setting_.target})));
        wire.reply(call("mining.notify", block_.notify("ccce", true)));
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
    std::vector<std::string> verdicts_;
    std::set<std::string> known_;
    ScriptedPool pool_;
};

PoolOptions verus_options(const Stage& stage, const VerusPool& pool) {
    PoolOptions options = pool_options(stage, {pool.place()});
    options.algorithm = &kVerusHash;
    options.pools[0].user = "RVerusAddress.worker";
    return options;
}

}  // namespace

TEST_CASE("a pool of Verus accepts what is found for it", "[pool_verus]") {
    Stage stage;
    VerusPool pool(stage, {});
    PoolMiner miner(verus_options(stage, pool));
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
    for (const json& message : pool.messages())
        CHECK((message["method"] != "mining.configure" && message["method"] != "mining.suggest_difficulty"));
    CHECK_FALSE(miner.warned(""));
    CHECK(eventually([&] { return stage.count("reply") == 3; }));
}

TEST_CASE("a share for a pool of Verus outlives the program", "[pool_verus]") {
    Stage stage;
    bool gone = true;
    VerusPool::Setting setting;
    setting.nbits = "ffff1f20";  // twice the target of shares: every one solves a block
    setting.one_nonce1 = true;
    setting.before_reply = [&](int) { return gone; };
    VerusPool pool(stage, setting);
    {
        PoolMiner miner(verus_options(stage, pool));
        REQUIRE(miner.has_job());
        miner.mine();
        REQUIRE(eventually([&] { return !pool.verdicts().empty(); }));
        miner.kill();
    }
    gone = false;
    PoolMiner miner(verus_options(stage, pool));
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    const std::vector<std::string> verdicts = pool.verdicts();
    CHECK(verdicts.front() == "accepted");
    CHECK(verdicts.back() == "duplicate share");  // it had it already
    CHECK(std::ranges::count(verdicts, "accepted") == 1);
    const auto entries = stage.journal();
    const auto share = std::ranges::find_if(entries, [](const json& entry) { return entry["event"] == "share"; });
    REQUIRE(share != entries.end());
    CHECK((*share)["previous"] == "a0" + std::string(62, '1'));
    CHECK((*share)["solution"].get<std::string>().size() == 2694);
}

TEST_CASE("shares of a session with a pool of Verus that has ended are given up", "[pool_verus]") {
    Stage stage;
    VerusPool::Setting setting;
    setting.before_reply = [](int connection) { return connection == 1; };
    VerusPool pool(stage, setting);
    PoolMiner miner(verus_options(stage, pool));
    REQUIRE(miner.has_job());
    miner.mine();
    REQUIRE(eventually([&] { return stage.count("dropped") == 1; }));
    REQUIRE(eventually([&] { return miner.jobs() >= 3; }));  // the first, none, the next
    miner.mine();
    REQUIRE(eventually([&] { return miner->status().accepted == 1; }));
    CHECK(pool.verdicts() == std::vector<std::string>(2, "accepted"));
}
