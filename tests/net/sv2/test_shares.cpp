// Tests of shares in a Stratum V2 session: what is sent stands for the header that was hashed, and each answer is for
// its share.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/net/sv2/sv2_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// With so many shares in flight, numbered from 1.
struct Flight : Sv2Talk {
    explicit Flight(std::uint32_t shares) {
        begin();
        for (std::uint32_t nonce = 1; nonce <= shares; ++nonce) {
            const auto id = submit(share_of(session.current_job(), nonce));
            REQUIRE(id);
            ids.push_back(*id);
        }
    }
    /// Numbers of the shares that were answered since the last call.
    std::vector<std::size_t> answered() {
        std::vector<std::size_t> numbers;
        for (; seen < pool.replies.size(); ++seen)
            numbers.push_back(std::ranges::find(ids, pool.replies[seen].first) - ids.begin() + 1);
        return numbers;
    }
    void success(std::uint32_t last, std::uint32_t count) {
        hear(sv2::SubmitSharesSuccess{kChannel, last, count, count});
    }

    std::vector<std::uint64_t> ids;
    std::size_t seen = 0;
};

using Numbers = std::vector<std::size_t>;

}  // namespace

TEST_CASE("A standard share's header is the one that was hashed") {
    Sv2Talk talk;
    talk.open();
    talk.future_job(7, 0x31);
    const sv2::SetNewPrevHash block{kChannel, 7, filled(0x42), kTime, kEasyBits};
    talk.hear(block);
    for (const std::uint32_t bits : {0x0U, 0x20U, 0x1fffffe0U}) {
        const StratumShare share = share_of(talk.session.current_job(), 0x01020304, bits);
        REQUIRE(talk.submit(share));
        const auto sent = talk.pool.last<sv2::SubmitSharesStandard>();
        CHECK(sent.channel == kChannel);
        CHECK(sent.job == 7);
        CHECK(sent.nonce == 0x01020304);
        CHECK(sent.time == kTime);
        CHECK(sent.version == (0x20000000 | bits));
        CHECK(hash_of(sent, block, filled(0x31)) == share.hash);
        CHECK(share.solves_block == (share.hash <= target_from_nbits(kEasyBits)));
        CHECK_FALSE(share.rolls_further_bits);  // nothing that a pool could misread
        CHECK_FALSE(share.job_has_masked_bits);
    }
}

TEST_CASE("An extended share's header is the one that was hashed") {
    Sv2Talk talk(Sv2Talk::plain_options());
    talk.open_extended(5);
    sv2::NewExtendedMiningJob job{kChannel, 8, {}, 0x20000000, true, {filled(3)}, {{1, 2, 3}}, {{4, 5}}};
    talk.hear(job);
    const sv2::SetNewPrevHash block{kGroup, 8, filled(0x42), kTime, kEasyBits};
    talk.hear(block);
    for (const std::uint64_t index : {0, 1, 70'000}) {
        const StratumShare share = share_of(talk.session.current_job(), 99, 0x00ffff00, index);
        REQUIRE(talk.submit(share));
        const auto sent = talk.pool.last<sv2::SubmitSharesExtended>();
        REQUIRE(sent.extranonce.bytes.size() == 5);
        Bytes extranonce = {0xf0, 0x0d};
        append(extranonce, sent.extranonce.bytes);
        CHECK(hash_of(sent, block, root_of(job, extranonce)) == share.hash);
    }
    CHECK(talk.pool.all<sv2::SubmitSharesStandard>().empty());
}

TEST_CASE("Sequence numbers count up, and an answer is for its own") {
    Flight flight(3);
    std::vector<std::uint32_t> sequences;
    for (const auto& sent : flight.pool.all<sv2::SubmitSharesStandard>()) sequences.push_back(sent.sequence);
    CHECK(sequences == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(flight.session.waiting() == 3);
    CHECK(flight.session.in_flight() == 0);  // the pool owes no answer by a certain time
    flight.hear(sv2::SubmitSharesError{kChannel, 2, "invalid-job-id"});
    CHECK(flight.answered() == Numbers{2});
    CHECK(flight.pool.replies[0].second.verdict == SubmitVerdict::kStale);
    CHECK(flight.pool.replies[0].second.reason == "invalid-job-id");
    flight.hear(sv2::SubmitSharesError{kChannel, 2, "invalid-job-id"});  // repeated
    flight.hear(sv2::SubmitSharesError{kChannel, 77, "stale-share"});
    flight.hear(sv2::SubmitSharesError{kChannel + 1, 1, "stale-share"});
    CHECK(flight.answered().empty());
    flight.success(3, 2);
    CHECK(flight.answered() == Numbers{1, 3});
    CHECK(flight.pool.replies[1].second.verdict == SubmitVerdict::kAccepted);
    flight.success(3, 2);  // repeated
    CHECK(flight.answered().empty());
}

TEST_CASE("Channels are mined in turn, and each share is its channel's") {
    SteadyTime now{std::chrono::hours(1)};
    sv2::Options options = Sv2Talk::options();
    options.channels = 2;
    options.clock = [&] { return now; };
    Sv2Talk talk(options);
    talk.hear(sv2::SetupConnectionSuccess{2, 0});
    const sv2::SetNewPrevHash block{kGroup, 1, filled(0x42), kTime, kHardBits};
    const auto root = [](std::uint32_t channel) { return filled(static_cast<std::uint8_t>(channel)); };
    for (const std::uint32_t channel : {5, 6}) {
        const std::uint32_t request = talk.pool.last<sv2::OpenStandardMiningChannel>().request;
        talk.hear(sv2::OpenStandardMiningChannelSuccess{request, channel, target_of(1), {}, kGroup});
    }
    for (const std::uint32_t channel : {5, 6}) talk.hear(sv2::NewMiningJob{channel, 1, {}, 0x20000000, root(channel)});
    talk.hear(block);
    std::vector<std::shared_ptr<const StratumJob>> mined;  // each other one
    std::set<std::string> headers;
    for (int second = 0; second < 60; ++second) {
        now += seconds(1);
        talk.wait(seconds(1));
        const auto job = talk.session.current_job();
        REQUIRE(job);
        if (!mined.empty() && mined.back() == job) continue;
        mined.push_back(job);
        if (job->has_header(0)) CHECK(headers.insert(job->header(0).hex()).second);  // nothing is searched twice
    }
    REQUIRE(mined.size() >= 8);
    std::map<std::uint32_t, std::vector<std::uint64_t>> sent;  // by channel
    for (std::size_t i = 0; i < mined.size(); ++i) {
        const auto id = talk.submit(share_of(mined[i], 1000 + static_cast<std::uint32_t>(i)));
        REQUIRE(id);
        const auto submit = talk.pool.last<sv2::SubmitSharesStandard>();
        CHECK(submit.job == 1);
        CHECK(mined[i]->header(0).merkle_root() == display_order(root(submit.channel)));
        CHECK(hash_of(submit, block, root(submit.channel)) ==
              share_of(mined[i], 1000 + static_cast<std::uint32_t>(i)).hash);
        sent[submit.channel].push_back(*id);
        CHECK(submit.sequence == sent[submit.channel].size());
    }
    REQUIRE(sent.size() == 2);
    CHECK(sent[5].size() >= 4);
    CHECK(sent[6].size() >= 4);
    talk.hear(sv2::SubmitSharesSuccess{kGroup, 1, 1, 1});  // of neither
    CHECK(talk.pool.replies.empty());
    talk.hear(sv2::SubmitSharesSuccess{6, 2, 2, 2});
    talk.hear(sv2::SubmitSharesError{5, 1, "stale-share"});
    REQUIRE(talk.pool.replies.size() == 3);
    CHECK(talk.pool.replies[0].first == sent[6][0]);
    CHECK(talk.pool.replies[1].first == sent[6][1]);
    CHECK(talk.pool.replies[2].first == sent[5][0]);
    talk.hear(sv2::NewMiningJob{5, 2, {}, 0x20000000, root(7)});
    talk.hear(sv2::SetNewPrevHash{5, 2, filled(0x43), kTime, kHardBits});
    for (const auto& job : mined) {  // the other channel's block is still the old one
        const bool is_old = job->header(0).merkle_root() == display_order(root(5));
        CHECK(talk.session.assess(share_of(job, 7)) == (is_old ? SubmitDecision::kStale : SubmitDecision::kSend));
    }
}

TEST_CASE("Successes in batches") {
    Flight all(4);
    all.success(4, 4);
    CHECK(all.answered() == Numbers{1, 2, 3, 4});

    Flight some(4);
    some.success(2, 2);
    CHECK(some.answered() == Numbers{1, 2});
    some.success(3, 1);
    CHECK(some.answered() == Numbers{3});
    CHECK(some.session.waiting() == 1);

    Flight late(4);  // the pool still looks at one of them
    late.success(4, 3);
    CHECK(late.answered() == Numbers{1, 2, 4});
    late.hear(sv2::SubmitSharesError{kChannel, 3, "stale-share"});
    CHECK(late.answered() == Numbers{3});

    Flight without_count(2);
    without_count.success(2, 0);
    CHECK(without_count.answered() == Numbers{2});
}

TEST_CASE("Success for more than was sent") {
    Flight flight(2);
    flight.success(900, 0xffffffff);
    CHECK(flight.answered() == Numbers{1, 2});
    REQUIRE(flight.pool.warnings.size() == 1);
    CHECK_THAT(flight.pool.warnings[0],
               ContainsSubstring("accepts 4294967295 shares up to number 900, of which 2 wait"));
    flight.success(901, 5);
    CHECK(flight.pool.warnings.size() == 1);
    CHECK(flight.session.ready());
}

TEST_CASE("Error codes and what they mean") {
    struct Row {
        const char* code;
        SubmitVerdict verdict;
        RefusalKind kind;
    };
    const Row rows[] = {
        {"stale-share", SubmitVerdict::kStale, RefusalKind::kStale},
        {"invalid-job-id", SubmitVerdict::kStale, RefusalKind::kStale},
        {"difficulty-too-low", SubmitVerdict::kRejected, RefusalKind::kLowDifficulty},
        {"duplicate-share", SubmitVerdict::kRejected, RefusalKind::kDuplicate},
        {"invalid-channel-id", SubmitVerdict::kRejected, RefusalKind::kUnauthorised},
        {"bad-extranonce-size", SubmitVerdict::kRejected, RefusalKind::kOther},
        {"version-rolling-not-allowed", SubmitVerdict::kRejected, RefusalKind::kOther},
        {"invalid-non-rollable-version-bit", SubmitVerdict::kRejected, RefusalKind::kOther},
        {"invalid-share", SubmitVerdict::kRejected, RefusalKind::kOther},
        {"something-new", SubmitVerdict::kRejected, RefusalKind::kOther},
    };
    Flight flight(std::size(rows));
    std::uint32_t sequence = 0;
    for (const Row& row : rows) {
        INFO(row.code);
        flight.hear(sv2::SubmitSharesError{kChannel, ++sequence, row.code});
        REQUIRE(flight.pool.replies.size() == sequence);
        const ShareReply& reply = flight.pool.replies.back().second;
        CHECK(reply.verdict == row.verdict);
        CHECK(reply.kind == row.kind);
        CHECK(reply.reason == row.code);
        CHECK_FALSE(reply.code);
        CHECK_FALSE(reply.outdated);
    }
}

TEST_CASE("A low share found before a higher target is outdated, and its job stays as it is") {
    Flight flight(2);
    flight.hear(sv2::SetTarget{kChannel, target_of(8)});
    flight.hear(sv2::SubmitSharesError{kChannel, 1, "difficulty-too-low"});
    REQUIRE(flight.pool.replies.size() == 1);
    CHECK(flight.pool.replies[0].second.outdated);
    CHECK(flight.pool.jobs.size() == 1);
    CHECK(flight.submit(share_of(flight.session.current_job(), 50)));  // of the target that it was found for
}

TEST_CASE("No share is sent twice, and stale ones not at all") {
    Sv2Talk talk;
    const StratumShare none;
    CHECK(talk.session.assess(none) == SubmitDecision::kNotYet);
    talk.begin(1);
    const auto first = talk.session.current_job();
    const StratumShare share = share_of(first, 1);
    REQUIRE(talk.submit(share));
    CHECK(talk.session.assess(share) == SubmitDecision::kDuplicate);
    CHECK(talk.session.assess(share, true) == SubmitDecision::kDuplicate);
    talk.future_job(2);
    talk.block(2);
    CHECK(talk.session.assess(share_of(first, 2)) == SubmitDecision::kStale);
    CHECK(talk.session.assess(share) == SubmitDecision::kDuplicate);
}

TEST_CASE("Of an earlier connection only a share that solves a block is sent again") {
    Sv2Talk talk;
    talk.begin(1);
    StratumShare share = share_of(talk.session.current_job(), 1);
    CHECK(talk.session.assess(share, true) == SubmitDecision::kStale);  // whatever its job's number is
    share.solves_block = true;
    share.job_id = "4294967295";
    CHECK(talk.submit(share, true));
    CHECK(talk.pool.last<sv2::SubmitSharesStandard>().job == 0xffffffff);
    for (const char* id : {"", "1x", "-1", "4294967296", "abc"}) {  // of V1
        share.job_id = id;
        share.hash.bytes[0] = static_cast<std::uint8_t>(share.hash.bytes[0] + 1);
        CHECK(talk.session.assess(share, true) == SubmitDecision::kStale);
    }
    share.job_id = "1";
    for (const std::string& extranonce : {std::string("1"), std::string("0g"), std::string(66, '0')}) {
        share.extranonce2 = extranonce;  // of a journal that was edited
        CHECK(talk.session.assess(share, true) == SubmitDecision::kStale);
    }
}
