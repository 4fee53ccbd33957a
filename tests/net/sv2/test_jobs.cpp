// Tests of a Stratum V2 session's jobs: future ones and their blocks, targets, extranonces, versions, the clock.
#include <string>
#include <vector>

#include "host/search/version_space.hpp"
#include "net/pool/messages.hpp"
#include "tests/catch.hpp"
#include "tests/net/sv2/sv2_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using Catch::Matchers::ContainsSubstring;

namespace {

sv2::NewExtendedMiningJob extended_job(std::uint32_t id, std::optional<std::uint32_t> min_time = {}) {
    sv2::NewExtendedMiningJob job{kChannel, id, min_time, 0x20000000, true, {filled(0xaa), filled(0x55)}, {}, {}};
    job.coinbase_prefix.bytes = {1, 0, 0, 0, 1, 2, 3};
    job.coinbase_suffix.bytes = {9, 8, 7};
    return job;
}

}  // namespace

TEST_CASE("A future job waits for its block") {
    Sv2Talk talk;
    talk.open();
    talk.future_job(1, 0x11);
    talk.future_job(2, 0x33);
    CHECK(talk.pool.jobs.empty());
    talk.block(2, 0x44);
    REQUIRE(talk.pool.jobs.size() == 1);
    const auto& job = *talk.pool.jobs[0];
    CHECK(talk.session.current_job() == talk.pool.jobs[0]);
    const BlockHeader header = job.header(0);
    CHECK(header.version() == 0x20000000);
    CHECK(header.previous_hash().hex() == std::string(64, '4'));
    CHECK(header.merkle_root().hex() == std::string(64, '3'));
    CHECK(header.time() == kTime);
    CHECK(header.nbits() == kHardBits);
    CHECK(header.nonce() == 0);
    CHECK(job.coinbase(0).empty());
    // Told twice, as for the channel and for its group.
    talk.block(2, 0x44);
    CHECK(talk.pool.jobs.size() == 1);
    CHECK(talk.session.current_job() == talk.pool.jobs[0]);
    // The other one ended with that block.
    talk.block(1);
    CHECK(talk.session.current_job() == nullptr);
}

TEST_CASE("A job with a time is for now, on the last block") {
    Sv2Talk talk;
    talk.begin(1);
    talk.job(2, 0x77, kTime + 30);
    REQUIRE(talk.pool.jobs.size() == 2);
    CHECK(talk.pool.jobs[1]->header(0).time() == kTime + 30);
    CHECK(talk.pool.jobs[1]->header(0).previous_hash().hex() == std::string(64, '2'));
    CHECK(talk.pool.jobs[1]->header(0).merkle_root().hex() == std::string(64, '7'));
    // Shares of both count.
    CHECK(talk.submit(share_of(talk.pool.jobs[0], 1)));
    CHECK(talk.submit(share_of(talk.pool.jobs[1], 1)));
    talk.future_job(3);
    talk.block(3, 0x66);
    for (const int old : {0, 1}) CHECK(talk.session.assess(share_of(talk.pool.jobs[old], 2)) == SubmitDecision::kStale);
    CHECK(talk.submit(share_of(talk.pool.jobs[2], 1)));
}

TEST_CASE("A target is for the jobs after it, and for those that wait for their block") {
    Sv2Talk talk;
    talk.begin(1, 4);
    talk.future_job(2);
    talk.hear(sv2::SetTarget{kGroup, target_of(1024)});
    CHECK(talk.pool.jobs.size() == 1);
    CHECK(talk.session.current_job()->target() == target_from_difficulty("4"));
    CHECK(talk.pool.difficulties.back() == Approx(1024));
    talk.job(3);
    CHECK(talk.session.current_job()->target() == target_from_difficulty("1024"));
    CHECK(talk.session.current_job()->difficulty() == Approx(1024));
    talk.block(2);
    CHECK(talk.session.current_job()->target() == target_from_difficulty("1024"));
}

TEST_CASE("Targets of zero and of all ones") {
    Sv2Talk talk;
    talk.begin(1);
    talk.hear(sv2::SetTarget{kChannel, filled(0)});
    CHECK(talk.pool.warnings.size() == 1);
    talk.job(2);
    CHECK(talk.session.current_job()->target() == target_from_difficulty("1"));
    talk.hear(sv2::SetTarget{kChannel, filled(0xff)});
    talk.job(3, 0x12);
    CHECK(talk.session.current_job()->target().hex() == std::string(64, 'f'));
    CHECK(talk.session.current_job()->difficulty() > 0);

    Sv2Talk zero;
    zero.hear(sv2::SetupConnectionSuccess{2, 0});
    zero.hear(sv2::OpenStandardMiningChannelSuccess{
        zero.pool.last<sv2::OpenStandardMiningChannel>().request, kChannel, filled(0), {}, 0});
    CHECK(zero.session.over());
    CHECK(zero.pool.logins == 0);
}

TEST_CASE("The advice on too high a difficulty is Stratum V2's") {
    Sv2Talk talk;
    talk.begin(1, 1e6);
    const std::string advice = long_wait_text(*talk.session.current_job(), 1e6, true);
    CHECK_THAT(advice, ContainsSubstring("by Stratum V2 the pool decides"));
    CHECK_THAT(advice, ContainsSubstring("--advertise-hashrate"));
    CHECK_THAT(advice, !ContainsSubstring("password"));
    CHECK(long_wait_text(*talk.session.current_job(), 1e15, true).empty());
}

TEST_CASE("A target's bytes come in the order of the number's weight") {
    Sv2Talk talk;
    talk.begin(1);
    Digest target{};
    target[29] = 1;  // 2^232
    talk.hear(sv2::SetTarget{kChannel, target});
    talk.job(2);
    CHECK(talk.session.current_job()->target().hex() == "000001" + std::string(58, '0'));
}

TEST_CASE("Versions: 24 bits on standard channels, none where the server fixes them") {
    Sv2Talk talk;
    talk.begin();
    CHECK(talk.session.current_job()->version_mask() == kBip323Mask);
    CHECK(VersionSpace(talk.session.current_job()->header(0).version(), kBip323Mask, 1).size() == 1U << 24);
    CHECK(version_text(*talk.session.current_job()) == "24 version bits are rolled");
    talk.hear(sv2::NewMiningJob{kChannel, 2, kTime, 0x20000020, filled(1)});
    CHECK(talk.session.current_job()->version_mask() == (kBip323Mask & ~0x20U));

    Sv2Talk fixed;
    fixed.open(1, sv2::kRequiresFixedVersion);
    fixed.future_job(1);
    fixed.block(1);
    CHECK(fixed.session.current_job()->version_mask() == 0);
    CHECK(version_text(*fixed.session.current_job()) == "the pool fixes the version");

    Sv2Talk extended(Sv2Talk::plain_options());
    extended.open_extended();
    auto job = extended_job(1);
    extended.hear(job);
    extended.block(1);
    CHECK(extended.session.current_job()->version_mask() == kBip323Mask);
    job.job = 2;
    job.min_time = kTime;
    job.version_rolling_allowed = false;
    extended.hear(job);
    CHECK(extended.session.current_job()->version_mask() == 0);
}

TEST_CASE("Headers of an extended job are what the specification and the oracle give") {
    for (const std::uint16_t size : {0, 1, 4, 8, 32}) {
        Sv2Talk talk(Sv2Talk::plain_options());
        talk.open_extended(size);
        const auto job = extended_job(1);
        talk.hear(job);
        talk.block(1);
        const auto current = talk.session.current_job();
        REQUIRE(current);
        for (const std::uint64_t index : {0, 1, 200}) {
            if (!current->has_header(index)) continue;
            Bytes extranonce = {0xf0, 0x0d};
            Bytes own(size);
            decode_hex(current->extranonce2(index), own);
            append(extranonce, own);
            CHECK(current->header(index).merkle_root() == display_order(root_of(job, extranonce)));
        }
    }
}

TEST_CASE("A group's job on a standard channel has no extranonce of the miner's") {
    Sv2Talk talk;
    talk.open();
    auto job = extended_job(1);
    job.channel = kGroup;
    talk.hear(job);
    talk.hear(sv2::SetNewPrevHash{kGroup, 1, filled(0x22), kTime, kHardBits});
    const auto current = talk.session.current_job();
    REQUIRE(current);
    CHECK(current->header(0).merkle_root() == display_order(root_of(job, {0xca, 0xfe})));
    CHECK_FALSE(current->coinbase(0).empty());
    CHECK(talk.submit(share_of(current, 1)));
    CHECK(talk.pool.all<sv2::SubmitSharesStandard>().size() == 1);
}

TEST_CASE("A new extranonce prefix is for jobs that come after it") {
    Sv2Talk talk(Sv2Talk::plain_options());
    talk.open_extended(4);
    const auto first = extended_job(1);
    auto second = extended_job(2);
    talk.hear(first);
    talk.hear(sv2::SetExtranoncePrefix{kChannel, {{0xbe, 0xef, 0x01}}});
    talk.block(1);
    CHECK(talk.session.current_job()->extranonce1() == "f00d");
    second.min_time = kTime;
    talk.hear(second);
    CHECK(talk.session.current_job()->extranonce1() == "beef01");
    Bytes extranonce = {0xbe, 0xef, 0x01};
    Bytes own(4);
    decode_hex(talk.session.current_job()->extranonce2(3), own);
    append(extranonce, own);
    CHECK(talk.session.current_job()->header(3).merkle_root() == display_order(root_of(second, extranonce)));
}

TEST_CASE("The time of a header advances with the clock only") {
    SteadyTime now{std::chrono::hours(1)};
    sv2::Options options = Sv2Talk::options();
    options.clock = [&] { return now; };
    Sv2Talk talk(options);
    talk.open(1, sv2::kRequiresFixedVersion);
    talk.future_job(1);
    talk.block(1);
    const auto job = talk.session.current_job();
    const auto pass = [&](int count) {
        for (int i = 0; i < count; ++i) {
            now += seconds(1);
            talk.wait(seconds(1));
        }
    };
    CHECK(job->has_header(0));
    CHECK(job->header(0).time() == kTime);
    CHECK_FALSE(job->has_header(1));  // devices wait
    CHECK(talk.pool.jobs.size() == 1);
    pass(1);
    REQUIRE(talk.pool.jobs.size() == 2);
    CHECK(talk.pool.jobs[1] == job);  // the same one goes on
    CHECK(talk.pool.warnings.size() == 1);
    CHECK(job->has_header(1));
    CHECK(job->header(1).time() == kTime + 1);
    CHECK_FALSE(job->has_header(2));
    pass(10);
    CHECK(talk.pool.jobs.size() == 3);
    for (const std::uint64_t index : {2, 5, 11}) {
        CHECK(job->has_header(index));
        CHECK(job->header(index).time() == kTime + index);
    }
    CHECK_FALSE(job->has_header(12));
    pass(1);
    CHECK(talk.pool.warnings.size() == 1);  // said once

    // The same work again goes on where it was, and needs no more than the next second.
    now += seconds(2);
    talk.now += seconds(2);
    talk.job(2, 0x12, kTime);
    talk.job(3, 0x11, kTime);
    const auto again = talk.session.current_job();
    CHECK(again->id() == "3");
    CHECK(again->has_header(0));
    CHECK(again->header(0).time() > kTime + 11);
    CHECK(again->header(0).time() <= kTime + 14);
}

TEST_CASE("Work that is searched already goes on under its name") {
    Sv2Talk talk;
    talk.begin(1, 4);
    const auto job = talk.session.current_job();
    const std::size_t jobs = talk.pool.jobs.size();
    for (const std::uint32_t id : {2, 3, 4}) talk.job(id, 0x11, kTime);
    CHECK(talk.session.current_job() == job);
    CHECK(talk.pool.jobs.size() == jobs);
    talk.hear(sv2::SetTarget{kChannel, target_of(8)});  // the next job's
    talk.job(6, 0x11, kTime);
    CHECK(talk.session.current_job()->difficulty() == 8);
    const auto harder = talk.session.current_job();
    talk.block(1);  // for the group: it came for the channel before job 6 did
    CHECK(talk.session.current_job() == harder);
    CHECK(talk.pool.warnings.empty());
}

TEST_CASE("On another connection the clock begins anew") {
    SteadyTime now{std::chrono::hours(1)};
    sv2::Options options = Sv2Talk::plain_options();
    options.clock = [&] { return now; };
    options.recent_work = std::make_shared<RecentWork>();
    for (const std::uint64_t connection : {1, 2}) {
        options.origin.connection = connection;
        Sv2Talk talk(options);
        talk.now = now;
        talk.open_extended(8);
        talk.hear(extended_job(1));
        talk.block(1);
        CHECK(talk.session.current_job()->header(0).time() == kTime);
        now += seconds(300);
        CHECK(talk.session.current_job()->header(1).time() == kTime + 300);
    }
}

TEST_CASE("Extended jobs keep to the clock, too") {
    SteadyTime now{std::chrono::hours(1)};
    sv2::Options options = Sv2Talk::plain_options();
    options.clock = [&] { return now; };
    Sv2Talk small(options);
    small.open_extended(1);
    small.hear(extended_job(1));
    small.block(1);
    const auto job = small.session.current_job();
    CHECK(job->has_header(255));
    CHECK(job->header(255).time() == kTime);
    CHECK_FALSE(job->has_header(256));
    now += seconds(100);
    CHECK(job->has_header(256 * 100 + 255));
    CHECK(job->header(256 * 100).time() == kTime + 100);
    CHECK(job->header(0).time() == kTime);
    CHECK_FALSE(job->has_header(256 * 101));

    Sv2Talk large(options);
    large.now = now;
    large.open_extended(4);
    large.hear(extended_job(1));
    large.block(1);
    const auto other = large.session.current_job();
    CHECK(other->header(1'000'000).time() == kTime);
    now += seconds(100);
    CHECK(other->has_header(1'000'001));
    CHECK(other->header(1'000'001).time() == kTime + 100);
}

TEST_CASE("Jobs that make no sense") {
    Sv2Talk channel;
    channel.begin();
    channel.hear(sv2::NewMiningJob{kChannel + 1, 2, kTime, 0x20000000, filled(1)});
    CHECK(channel.pool.jobs.size() == 1);
    REQUIRE(channel.pool.warnings.size() == 1);
    CHECK_THAT(channel.pool.warnings[0], ContainsSubstring("NewMiningJob is ignored: it is for channel 6"));

    Sv2Talk early;  // before any channel
    early.job(1);
    early.block(1);
    CHECK(early.pool.warnings.size() == 2);
    CHECK_FALSE(early.session.over());

    Sv2Talk unknown;
    unknown.begin();
    unknown.block(17);
    REQUIRE(unknown.pool.jobs.size() == 2);
    CHECK(unknown.pool.jobs[1] == nullptr);
    CHECK(unknown.pool.warnings.size() == 1);
    CHECK(unknown.session.assess(share_of(unknown.pool.jobs[0], 1)) == SubmitDecision::kStale);
    unknown.job(18);  // on that block
    REQUIRE(unknown.session.current_job());
    CHECK(unknown.session.current_job()->header(0).previous_hash().hex() == std::string(64, '2'));

    Sv2Talk without_block;
    without_block.open();
    without_block.job(1);
    CHECK(without_block.session.over());
    Sv2Talk nbits;
    nbits.open();
    nbits.future_job(1);
    nbits.block(1, 0x22, 0);
    CHECK(nbits.pool.errors ==
          std::vector<std::string>{"the pool does not speak Stratum V2: SetNewPrevHash: nBits 00000000 are no target"});
    Sv2Talk standard(Sv2Talk::plain_options());
    standard.open_extended();
    standard.job(1);
    CHECK(standard.session.over());
}

TEST_CASE("No more than so many future jobs are kept, the latest") {
    Sv2Talk talk;
    talk.open();
    for (std::uint32_t id = 1; id <= 1'000; ++id) talk.future_job(id);
    Sv2Talk other;
    other.open();
    for (std::uint32_t id = 1; id <= 1'000; ++id) other.future_job(id);
    talk.block(1'000);
    CHECK(talk.session.current_job());
    other.block(900);
    CHECK_FALSE(other.session.current_job());
    Sv2Talk twice;  // the same number again: the last one counts
    twice.open();
    twice.future_job(1, 0x11);
    twice.future_job(1, 0x99);
    twice.block(1);
    CHECK(twice.session.current_job()->header(0).merkle_root().hex() == std::string(64, '9'));
}
