// Tests of the judge of a pool, by work and replies to shares without a connection.
#include "net/pool/schedule.hpp"

#include <chrono>
#include <optional>
#include <string>

#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

ShareReply refusal(RefusalKind kind, bool outdated = false) {
    ShareReply reply;
    reply.kind = kind;
    reply.outdated = outdated;
    reply.reason = "Above target (23)";
    return reply;
}

ShareReply acceptance() {
    ShareReply reply;
    reply.verdict = SubmitVerdict::kAccepted;
    return reply;
}

/// Of a job with bits that servers read in different ways.
StratumShare ambiguous_share(VersionBits form = VersionBits::kMasked) {
    StratumShare share;
    share.version_bits_as = form;
    share.job_has_masked_bits = true;
    return share;
}

PoolOptions two_pools() {
    PoolOptions options;
    for (const char* url : {"one:1", "two:2"}) options.pools.push_back({parse_pool_url(url), "user", "x"});
    return options;
}

/// Of the second pool.
struct Judged {
    SteadyTime now{std::chrono::hours(1)};
    PoolSchedule schedule{two_pools(), 1};
    PoolJudge judge{schedule};

    Judged() { judge.begin(1); }
    std::optional<std::string> refuse(int times, const ShareReply& reply = refusal(RefusalKind::kOther)) {
        std::optional<std::string> end;
        for (int i = 0; i < times; ++i) {
            REQUIRE_FALSE(end);
            end = judge.count_refusal(reply, now);
        }
        return end;
    }
    void accept() { CHECK_FALSE(judge.count_refusal(acceptance(), now)); }
};

constexpr RefusalKind kLow = RefusalKind::kLowDifficulty;

}  // namespace

TEST_CASE("a pool that refuses 20 shares in a row is left for a while, each time for longer", "[pool_judge]") {
    Judged pool;
    CHECK_FALSE(pool.refuse(19));
    SECTION("one that is accepted begins a new row, and so does a new connection") {
        const bool accepted = GENERATE(true, false);
        accepted ? pool.accept() : pool.judge.begin(1);
        CHECK_FALSE(pool.refuse(19));
    }
    SECTION("stale, doubled and outdated ones do not count") {
        ShareReply stale = refusal(RefusalKind::kStale);
        stale.verdict = SubmitVerdict::kStale;
        CHECK_FALSE(pool.refuse(30, stale));
        CHECK_FALSE(pool.refuse(30, refusal(RefusalKind::kDuplicate)));
        CHECK_FALSE(pool.refuse(30, refusal(kLow, true)));
    }
    CHECK(pool.refuse(1) ==
          "the pool has refused 20 shares in a row, the last one as 'Above target (23)'; it is not used "
          "for 1 min");
    CHECK(pool.schedule.postponed(1, pool.now + std::chrono::seconds(59)));
    CHECK_FALSE(pool.schedule.postponed(1, pool.now + std::chrono::seconds(60)));
    CHECK_FALSE(pool.schedule.postponed(0, pool.now));
    CHECK_FALSE(pool.refuse(30));  // the connection has ended by then
    pool.judge.begin(1);
    CHECK(contains(pool.refuse(20).value_or(""), "for 2 min"));
    pool.judge.begin(1);
    pool.accept();
    CHECK(contains(pool.refuse(20).value_or(""), "for 1 min"));
}

TEST_CASE("a pool that misreads version bits gets others, and its refusals so far do not count", "[pool_judge]") {
    Judged pool;
    const StratumShare share = ambiguous_share();
    CHECK_FALSE(pool.refuse(19));
    CHECK_FALSE(pool.judge.find_misreading(share, refusal(RefusalKind::kOther)));
    CHECK_FALSE(pool.judge.find_misreading(share, refusal(kLow, true)));
    CHECK_FALSE(pool.judge.find_misreading({}, refusal(kLow)));  // its job has no bits to be misread
    const auto found = pool.judge.find_misreading(share, refusal(kLow));
    REQUIRE(found);
    CHECK(found->rolling.form == VersionBits::kChanged);
    CHECK(found->sentence == "the pool seems to misread version bits; sending only changed bits from now on");
    CHECK(pool.schedule.rolling(1).form == VersionBits::kChanged);
    CHECK(pool.schedule.rolling(0).form == VersionBits::kMasked);
    CHECK_FALSE(pool.refuse(19));
    CHECK_FALSE(pool.judge.find_misreading(share, refusal(kLow)));  // submitted before the change
    const auto none = pool.judge.find_misreading(ambiguous_share(VersionBits::kChanged), refusal(kLow));
    REQUIRE(none);
    CHECK(contains(none->sentence, "versions are no longer rolled for it"));
}

TEST_CASE("bits that pools are not asked for are left out, unless the pool has accepted some", "[pool_judge]") {
    Judged pool;
    StratumShare share;
    share.rolls_further_bits = true;
    const bool accepted_before = GENERATE(true, false);
    if (accepted_before) CHECK_FALSE(pool.judge.find_misreading(share, acceptance()));
    const auto found = pool.judge.find_misreading(share, refusal(kLow));
    REQUIRE(found.has_value() != accepted_before);
    if (found) CHECK(contains(found->sentence, "sending only those of BIP 320 (1fffe000) from now on"));
}

TEST_CASE("a connection that has worked proves the pool, once", "[pool_judge]") {
    Judged pool;
    CHECK_FALSE(pool.judge.worked());
    for (int i = 0; i < 5; ++i) REQUIRE(pool.schedule.redirect(1, parse_pool_url("other:3")));
    CHECK_FALSE(pool.schedule.redirect(1, parse_pool_url("other:3")));
    pool.judge.has_worked();
    CHECK(pool.judge.worked());
    for (int i = 0; i < 5; ++i) REQUIRE(pool.schedule.redirect(1, parse_pool_url("other:3")));
    pool.judge.has_worked();
    CHECK_FALSE(pool.schedule.redirect(1, parse_pool_url("other:3")));
    pool.judge.begin(0);
    CHECK_FALSE(pool.judge.worked());
}
