// Version bits against pools that make the header's version in different ways.
#include "tests/catch.hpp"
#include "tests/net/pool/scripted_pool.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

constexpr std::uint32_t kMask = 0x1fffe000;

PoolTraits reading_versions() {
    PoolTraits traits;
    traits.difficulty = 1e-6;  // 4,300 hashes: those of another header are hardly ever low enough
    return traits;
}

/// A job with a bit inside the mask, as a node gives it while a soft fork is signalled for.
PoolTraits with_job_bits() {
    PoolTraits traits = reading_versions();
    traits.version = "30000000";
    return traits;
}

/// Mines until so many shares are accepted; returns how many were refused.
std::size_t refused_before(std::size_t accepted, PoolMiner& miner, const ScriptedPool& pool) {
    REQUIRE(miner.has_job());
    for (int tries = 0; pool.count("accepted") < accepted; ++tries) {
        REQUIRE(tries < 100);
        const std::size_t before = pool.shares().size();
        miner.mine();
        REQUIRE(eventually([&] { return pool.shares().size() > before; }));
        REQUIRE(eventually([&] {
            const WorkStatus status = miner->status();
            return status.accepted + status.rejected == pool.shares().size();
        }));
    }
    return pool.count("Low difficulty share");
}

}  // namespace

TEST_CASE("servers that follow BIP 310, or OR version bits to the job's, accept every share") {
    PoolTraits traits = with_job_bits();
    const bool masks = GENERATE(true, false);
    if (masks) {
        traits.version_of = [](std::uint32_t job, std::uint32_t bits) { return (job & ~kMask) | (bits & kMask); };
    } else {
        traits.version_of = [](std::uint32_t job, std::uint32_t bits) { return job | bits; };
    }
    Stage stage;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    CHECK(refused_before(5, miner, pool) == 0);
    for (const SeenShare& share : pool.shares()) CHECK(share.params.at(5) == "10000000");
}

TEST_CASE("a server that XORs version bits gets only the changed ones, once it has refused a share") {
    Stage stage;
    ScriptedPool pool(stage, with_job_bits());
    PoolMiner miner(pool_options(stage, {pool.place()}));
    const std::size_t refused = refused_before(5, miner, pool);
    CHECK((refused == 1 || refused == 2));  // the next one may be made before the refusal has had its effect
    CHECK(miner.said("misread version bits; sending only changed bits from now on"));
    CHECK(pool.shares().front().params.at(5) == "10000000");
    CHECK(pool.shares().back().params.at(5) == "00000000");
    CHECK(pool.connections() == 1);
}

TEST_CASE("for a server that makes nothing of version bits none are rolled") {
    PoolTraits traits = with_job_bits();
    traits.version_of = [](std::uint32_t job, std::uint32_t bits) { return job + bits + 0x2000; };
    Stage stage;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    const std::size_t refused = refused_before(5, miner, pool);
    CHECK((refused >= 2 && refused <= 4));  // one each, and one more each that was made before the effect
    CHECK(miner.said("versions are no longer rolled for it"));
    CHECK(pool.shares().back().params.size() == 5);
    CHECK(miner.job()->version_mask() == 0);
    CHECK(pool.connections() == 1);
}

TEST_CASE("bits of BIP 323 that a pool grants are rolled, until it shows that it knows those of BIP 320 alone") {
    PoolTraits traits = reading_versions();
    traits.mask = 0x1fffffe0;
    const std::uint32_t known = GENERATE(0x1fffffe0U, kMask);
    traits.version_of = [known](std::uint32_t job, std::uint32_t bits) { return (job & ~known) | (bits & known); };
    Stage stage;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    miner.rolled = 0x00002100;
    const std::size_t refused = refused_before(5, miner, pool);
    CHECK(pool.requests("mining.configure")[0]["params"][1]["version-rolling.mask"] == "1fffe000");
    CHECK(pool.shares().front().params.at(5) == "00002100");
    CHECK(pool.connections() == 1);
    if (known == kMask) {
        CHECK((refused == 1 || refused == 2));  // the next one may be made before the refusal has had its effect
        CHECK(miner.said("misread version bits; sending only those of BIP 320 (1fffe000) from now on"));
        CHECK(miner.job()->version_mask() == kMask);
        CHECK(pool.shares().back().params.at(5) == "00002000");
    } else {
        CHECK(refused == 0);
        CHECK(miner.job()->version_mask() == 0x1fffffe0);
        CHECK(pool.shares().back().params.at(5) == "00002100");
    }
}

TEST_CASE("a pool that gets bits of BIP 320 alone still gets the job's own bits inside its mask") {
    PoolTraits traits = reading_versions();
    traits.mask = 0x1fffffe0;
    traits.version = "20000020";
    int shares = 0;
    traits.version_of = [&shares](std::uint32_t job, std::uint32_t bits) {
        // As BIP 310 says, but that it spoils the first, which may have come too late for a higher difficulty.
        return ((job & ~0x1fffffe0U) | bits) + (++shares == 1 ? 0x1000000 : 0);
    };
    Stage stage;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    miner.rolled = 0x00002100;
    const std::size_t refused = refused_before(5, miner, pool);
    CHECK(refused == 1);
    CHECK(miner.job()->version_mask() == kMask);
    CHECK(pool.shares().back().params.at(5) == "00002020");
}

TEST_CASE("a pool that has accepted bits of BIP 323 keeps them, whatever it refuses later") {
    PoolTraits traits = reading_versions();
    traits.mask = 0x1fffffe0;
    int shares = 0;
    traits.version_of = [&shares](std::uint32_t job, std::uint32_t bits) {
        return (job ^ bits) + (++shares == 2 ? 0x1000000 : 0);  // it spoils the second
    };
    Stage stage;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    miner.rolled = 0x00000100;
    REQUIRE(miner.has_job());
    for (const auto& [accepted, rejected] : {std::pair(1U, 0U), std::pair(1U, 1U), std::pair(2U, 1U)}) {
        miner.mine();
        REQUIRE(eventually([&, wanted = std::pair(accepted, rejected)] {
            const WorkStatus status = miner->status();
            return status.accepted == wanted.first && status.rejected == wanted.second;
        }));
    }
    CHECK(miner.job()->version_mask() == 0x1fffffe0);
    CHECK_FALSE(miner.said("misread version bits"));
}

TEST_CASE("a job without bits inside the mask says nothing of how a pool reads them") {
    PoolTraits traits = reading_versions();
    traits.version_of = [](std::uint32_t job, std::uint32_t bits) { return job + bits + 0x2000; };
    Stage stage;
    ScriptedPool pool(stage, traits);
    PoolMiner miner(pool_options(stage, {pool.place()}));
    REQUIRE(miner.has_job());
    miner.mine(3);
    REQUIRE(eventually([&] { return miner->status().rejected == 3; }));
    CHECK(pool.shares().back().params.at(5) == "00000000");
    CHECK_FALSE(miner.said("misread version bits"));
}
