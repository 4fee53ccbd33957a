// Tests of share floods: the requests to the pool, and the journal's entries.
#include "net/pool/suggested_difficulty.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;
using Step = ShareFlood::Step;

namespace {

constexpr SteadyTime kBegin = SteadyTime{} + std::chrono::hours(1);

/// Finds shares at an interval; the steps other than kNothing, in order.
struct Finder {
    ShareFlood flood;
    SteadyTime now = kBegin;

    std::vector<Step> find(std::size_t shares, std::chrono::milliseconds interval) {
        std::vector<Step> steps;
        for (std::size_t i = 0; i < shares; ++i) {
            now += interval;
            if (const Step step = flood.found(now); step != Step::kNothing) steps.push_back(step);
        }
        return steps;
    }
};

}  // namespace

TEST_CASE("shares that come fast are answered by a suggestion, then by summing", "[share_flood]") {
    Finder finder;
    const std::size_t some = ShareFlood::kShares;
    REQUIRE(finder.find(5 * some, std::chrono::milliseconds(51)).empty());
    REQUIRE(finder.find(some, std::chrono::milliseconds(40)) == std::vector<Step>{Step::kSuggest});
    REQUIRE_FALSE(finder.flood.summing());
    REQUIRE(finder.find(some, std::chrono::milliseconds(40)) == std::vector<Step>{Step::kSum});
    REQUIRE(finder.flood.summing());
    REQUIRE(finder.flood.interval() == Approx(0.04).epsilon(0.01));
    SECTION("more of them change nothing, nor does a somewhat longer interval") {
        REQUIRE(finder.find(10 * some, std::chrono::milliseconds(1)).empty());
        REQUIRE(finder.find(10 * some, std::chrono::milliseconds(90)).empty());
        REQUIRE(finder.flood.summing());
    }
    SECTION("it is over when they come at half the rate") {
        REQUIRE(finder.find(some, std::chrono::milliseconds(110)) == std::vector<Step>{Step::kOver});
        REQUIRE_FALSE(finder.flood.summing());
        REQUIRE(finder.find(10 * some, std::chrono::milliseconds(1)) == std::vector<Step>{Step::kSuggest, Step::kSum});
    }
    SECTION("or when no more come") {
        REQUIRE(finder.flood.tick(finder.now + std::chrono::seconds(10)) == Step::kNothing);
        REQUIRE(finder.flood.tick(finder.now + std::chrono::seconds(30)) == Step::kOver);
        REQUIRE(finder.flood.tick(finder.now + std::chrono::seconds(31)) == Step::kNothing);
    }
}

TEST_CASE("a pool that follows the suggestion is not summed", "[share_flood]") {
    Finder finder;
    REQUIRE(finder.find(ShareFlood::kShares + 100, std::chrono::milliseconds(1)) == std::vector<Step>{Step::kSuggest});
    REQUIRE(finder.find(1'000, std::chrono::milliseconds(7'500)).empty());
}

TEST_CASE("the difficulty that a pool is asked for in a flood", "[share_flood]") {
    REQUIRE(difficulty_for(2, 0.015, 0) == Approx(1000));  // shares every 7.5 s
    REQUIRE(difficulty_for(1e-300, 0.001, 4294967296.0) == Approx(7.5));
    REQUIRE(difficulty_for(3, 0, 0) == 3);
}

TEST_CASE("a pool of a very low difficulty is asked for more, and its shares are summed", "[share_flood]") {
    Stage stage;
    PoolTraits traits;
    if (GENERATE(false, true)) traits.nbits = "2100ffff";  // every hash solves a block
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    constexpr std::uint64_t kManyShares = 3 * ShareFlood::kShares;
    for (std::uint64_t shares = 0; shares < kManyShares; ++shares) {
        miner.mine();
        stage.pass(std::chrono::milliseconds(10));
    }
    REQUIRE(eventually([&] { return miner->status().accepted == kManyShares; }));
    const auto suggestions = pool.requests("mining.suggest_difficulty");
    REQUIRE(suggestions.back()["params"][0].get<double>() >= 1e6 * 7.5 / 4294967296.0);  // by the rate; at login 0.001
    REQUIRE(miner.said("is asked for difficulty"));
    REQUIRE(miner.warned("the journal gets one entry per 10 s for all of them"));
    REQUIRE(eventually([&] { return miner.said("shares come more slowly"); }));
    stage.pass(std::chrono::seconds(1));
    const std::size_t entries = stage.count("share");
    REQUIRE(entries < 2 * ShareFlood::kShares + 50);
    REQUIRE(stage.count("reply") == entries);
    std::uint64_t shares = entries, accepted = entries;
    for (const json& entry : stage.journal()) {
        if (entry["event"] != "shares") continue;
        shares += entry["shares"].get<std::uint64_t>();
        accepted += entry["accepted"].get<std::uint64_t>();
        REQUIRE(entry["user"] == "user.worker");
    }
    REQUIRE(shares == kManyShares);
    REQUIRE(accepted == kManyShares);
}
