// Shares: what goes over the wire, what is held back, and how replies find them.
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::net::test;

namespace {

struct Mining : Talk {
    explicit Mining(const json& configured = json::object()) {
        log_in(configured);
        call("mining.notify", notify_params("1#0", true));
    }
    [[nodiscard]] std::shared_ptr<const StratumJob> job() const { return session.current_job(); }
    Submission submit(const StratumShare& share, bool again = false) { return session.submit(share, now, again); }
    [[nodiscard]] json params() const { return pool.last("mining.submit")["params"]; }
};

}  // namespace

TEST_CASE("A share on the wire") {
    Mining plain;
    const Submission submission = plain.submit(share_of(plain.job(), 0x0102, 0x0068e19b));
    CHECK(submission.outcome == Submitted::kSent);
    CHECK(plain.pool.last("mining.submit")["id"] == submission.id);
    CHECK(plain.params() == json::array({"user.worker", "1#0", "02010000", "6b001bdc", "0068e19b"}));
}

TEST_CASE("With version rolling each share has its bits, without the extension none has") {
    Mining rolling(kRolling);
    CHECK(rolling.job()->version_mask() == 0x1fffe000);
    (void)rolling.submit(share_of(rolling.job(), 0, 1, 0x00006000));
    CHECK(rolling.params() == json::array({"user.worker", "1#0", "00000000", "6b001bdc", "00000001", "00006000"}));
    (void)rolling.submit(share_of(rolling.job(), 0, 2));
    CHECK(rolling.params()[5] == "00000000");

    Mining no_bits({{"version-rolling", true}, {"version-rolling.mask", "00000000"}});
    CHECK(no_bits.job()->version_mask() == 0);
    (void)no_bits.submit(share_of(no_bits.job(), 0, 1));
    CHECK(no_bits.params()[5] == "00000000");

    Mining none({{"version-rolling", false}, {"version-rolling.mask", "1fffe000"}});
    CHECK(none.job()->version_mask() == 0);
    (void)none.submit(share_of(none.job(), 0, 1));
    CHECK(none.params().size() == 5);
}

TEST_CASE("Nothing is sent twice on one connection") {
    Mining mining;
    const StratumShare share = share_of(mining.job(), 1, 1);
    CHECK(mining.submit(share).outcome == Submitted::kSent);
    CHECK(mining.session.assess(share) == Submitted::kDuplicate);
    const std::size_t sent = mining.pool.sent.size();
    for (const bool again : {false, true}) CHECK(mining.submit(share, again).outcome == Submitted::kDuplicate);
    StratumShare other_id = share;  // the same header under another job's id
    other_id.job_id = "2";
    CHECK(mining.submit(other_id, true).outcome == Submitted::kDuplicate);
    mining.call("mining.notify", notify_params("2", true));
    StratumShare block = share;
    block.solves_block = true;
    CHECK(mining.submit(block, true).outcome == Submitted::kDuplicate);
    CHECK(mining.pool.sent.size() == sent);
}

TEST_CASE("After a clean job older shares are held back, but not those that solve a block") {
    Mining mining;
    const auto old = mining.job();
    mining.call("mining.notify", notify_params("2", false));
    CHECK(mining.submit(share_of(old, 0, 1)).outcome == Submitted::kSent);
    mining.call("mining.notify", notify_params("3", true));
    const std::size_t sent = mining.pool.sent.size();
    CHECK(mining.submit(share_of(old, 0, 2)).outcome == Submitted::kStale);
    CHECK(mining.pool.sent.size() == sent);
    CHECK(mining.submit(share_of(old, 0, 3, 0, true)).outcome == Submitted::kSent);
    CHECK(mining.submit(share_of(old, 0, 4), true).outcome == Submitted::kSent);  // of a resumed session
}

TEST_CASE("Shares count until a clean job comes") {
    Talk talk;
    talk.log_in();
    talk.call("mining.notify", notify_params("1", true));
    talk.call("mining.notify", notify_params("2", false));
    CHECK(talk.session.assess(share_of(talk.pool.jobs[0], 0, 1)) == Submitted::kSent);
    talk.call("mining.notify", notify_params("3", true));
    CHECK(talk.session.assess(share_of(talk.pool.jobs[0], 0, 1)) == Submitted::kStale);
    CHECK(talk.session.assess(share_of(talk.pool.jobs[1], 0, 1)) == Submitted::kStale);
    CHECK(talk.session.assess(share_of(talk.pool.jobs[2], 0, 1)) == Submitted::kSent);
}

TEST_CASE("Shares wait for the login") {
    Talk talk;
    talk.reply("mining.configure", json::object());
    talk.reply("mining.subscribe", {json::array(), "f00dcafe", 4});
    talk.call("mining.notify", notify_params("1"));
    const StratumShare share = share_of(talk.pool.jobs.at(0), 0, 1);
    CHECK(talk.session.submit(share, talk.now).outcome == Submitted::kNotYet);
    CHECK(talk.pool.last("mining.submit").is_null());
    talk.reply("mining.authorize", true);
    CHECK(talk.session.submit(share, talk.now).outcome == Submitted::kSent);
    talk.hear_text("garbage");
    CHECK(talk.session.submit(share_of(talk.pool.jobs[0], 0, 2), talk.now).outcome == Submitted::kNotYet);
}

TEST_CASE("Replies find their shares by id, in any order, each once") {
    Mining mining;
    const Submission first = mining.submit(share_of(mining.job(), 0, 1));
    const Submission second = mining.submit(share_of(mining.job(), 0, 2));
    CHECK(first.id != second.id);
    CHECK(mining.session.unanswered() == 2);
    mining.wait(std::chrono::seconds(10'000));  // late replies are replies
    mining.hear({{"id", std::to_string(second.id)}, {"result", nullptr}, {"error", {21, "Job not found", nullptr}}});
    mining.hear({{"id", static_cast<double>(first.id)}, {"result", true}, {"error", nullptr}});
    mining.hear({{"id", first.id}, {"result", false}, {"error", nullptr}});
    mining.hear({{"id", -1}, {"result", true}, {"error", nullptr}});
    REQUIRE(mining.pool.answers.size() == 2);
    CHECK(mining.pool.answers[0].first == second.id);
    CHECK_FALSE(mining.pool.answers[0].second.accepted);
    CHECK(mining.pool.answers[0].second.stale);
    CHECK(mining.pool.answers[0].second.reason == "Job not found (21)");
    CHECK(mining.pool.answers[1].first == first.id);
    CHECK(mining.pool.answers[1].second.accepted);
    CHECK(mining.session.unanswered() == 0);
}

TEST_CASE("A pool that never answers and never cleans does not fill the memory") {
    Mining mining;
    StratumShare share = share_of(mining.job(), 0, 0);
    for (std::uint32_t i = 0; i < 120'000; ++i) {
        share.hash.bytes[29] = static_cast<std::uint8_t>(i >> 16);
        share.hash.bytes[30] = static_cast<std::uint8_t>(i >> 8);
        share.hash.bytes[31] = static_cast<std::uint8_t>(i);
        if (mining.submit(share).outcome != Submitted::kSent) FAIL(i);
        mining.pool.sent.clear();
    }
    CHECK(mining.session.unanswered() == 100'000);
}

TEST_CASE("Many jobs without a clean one: the ids of old ones are forgotten") {
    Mining mining;
    const auto first = mining.job();
    json params = notify_params("");
    for (int i = 0; i < 1100; ++i) {
        params[0] = "job" + std::to_string(i);
        mining.call("mining.notify", params);
    }
    CHECK(mining.session.assess(share_of(first, 0, 1)) == Submitted::kStale);
    CHECK(mining.session.assess(share_of(mining.pool.jobs[500], 0, 1)) == Submitted::kSent);
}
