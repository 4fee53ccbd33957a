// Tests of shares in a session: lines to the pool, shares held back, the share of each reply.
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

struct Mining : Talk {
    explicit Mining(const json& configured = json::object()) {
        log_in(configured);
        call("mining.notify", notify_params("1#0", true));
    }
    [[nodiscard]] std::shared_ptr<const StratumJob> job() const { return session.current_job(); }
    [[nodiscard]] json params() const { return pool.last("mining.submit")["params"]; }
};

}  // namespace

TEST_CASE("A share on the wire") {
    Mining plain;
    const auto [decision, id] = plain.submit(share_of(plain.job(), 0x0102, 0x0068e19b));
    CHECK(decision == SubmitDecision::kSend);
    CHECK(plain.pool.last("mining.submit")["id"] == id);
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
    CHECK(mining.submit(share).first == SubmitDecision::kSend);
    CHECK(mining.session.assess(share) == SubmitDecision::kDuplicate);
    const std::size_t sent = mining.pool.sent.size();
    for (const bool again : {false, true}) CHECK(mining.submit(share, again).first == SubmitDecision::kDuplicate);
    StratumShare other_id = share;  // the same header under another job's id
    other_id.job_id = "2";
    CHECK(mining.submit(other_id, true).first == SubmitDecision::kDuplicate);
    mining.call("mining.notify", notify_params("2", true));
    StratumShare block = share;
    block.solves_block = true;
    CHECK(mining.submit(block, true).first == SubmitDecision::kDuplicate);
    CHECK(mining.pool.sent.size() == sent);
}

TEST_CASE("After a clean job older shares are held back, but not those that solve a block") {
    Mining mining;
    const auto old = mining.job();
    mining.call("mining.notify", notify_params("2", false));
    CHECK(mining.submit(share_of(old, 0, 1)).first == SubmitDecision::kSend);
    mining.call("mining.notify", notify_params("3", true));
    const std::size_t sent = mining.pool.sent.size();
    CHECK(mining.submit(share_of(old, 0, 2)).first == SubmitDecision::kStale);
    CHECK(mining.pool.sent.size() == sent);
    CHECK(mining.submit(share_of(old, 0, 3, 0, true)).first == SubmitDecision::kSend);
    CHECK(mining.submit(share_of(old, 0, 4), true).first == SubmitDecision::kSend);  // of a resumed session
}

TEST_CASE("Shares wait for the login") {
    Talk talk;
    talk.reply("mining.configure", json::object());
    talk.reply("mining.subscribe", {json::array(), "f00dcafe", 4});
    talk.call("mining.notify", notify_params("1"));
    const StratumShare share = share_of(talk.pool.jobs.at(0), 0, 1);
    CHECK(talk.submit(share).first == SubmitDecision::kNotYet);
    CHECK(talk.pool.last("mining.submit").is_null());
    talk.reply("mining.authorize", true);
    CHECK(talk.submit(share).first == SubmitDecision::kSend);
    talk.call("mining.set_extranonce", nullptr);  // the end of the session
    CHECK(talk.submit(share_of(talk.pool.jobs[0], 0, 2)).first == SubmitDecision::kNotYet);
}

TEST_CASE("Replies find their shares by id, in any order, each once") {
    Mining mining;
    const std::uint64_t first = mining.submit(share_of(mining.job(), 0, 1)).second;
    const std::uint64_t second = mining.submit(share_of(mining.job(), 0, 2)).second;
    CHECK(first != second);
    CHECK(mining.session.in_flight() == 2);
    mining.wait(std::chrono::seconds(10'000));  // late replies are replies
    mining.hear({{"id", std::to_string(second)}, {"result", nullptr}, {"error", {21, "Job not found", nullptr}}});
    mining.hear({{"id", static_cast<double>(first)}, {"result", true}, {"error", nullptr}});
    mining.hear({{"id", first}, {"result", false}, {"error", nullptr}});
    mining.hear({{"id", -1}, {"result", true}, {"error", nullptr}});
    REQUIRE(mining.pool.replies.size() == 2);
    CHECK(mining.pool.replies[0].first == second);
    CHECK(mining.pool.replies[0].second.verdict == SubmitVerdict::kStale);
    CHECK(mining.pool.replies[0].second.reason == "Job not found (21)");
    CHECK(mining.pool.replies[1].first == first);
    CHECK(mining.pool.replies[1].second.verdict == SubmitVerdict::kAccepted);
    CHECK(mining.session.in_flight() == 0);
}

TEST_CASE("A pool that never answers and never cleans does not fill the memory") {
    Mining mining;
    StratumShare share = share_of(mining.job(), 0, 0);
    for (std::uint32_t i = 0; i < 101'000; ++i) {
        share.hash.bytes[29] = static_cast<std::uint8_t>(i >> 16);
        share.hash.bytes[30] = static_cast<std::uint8_t>(i >> 8);
        share.hash.bytes[31] = static_cast<std::uint8_t>(i);
        if (!mining.session.submit(share, mining.now)) FAIL(i);
    }
    CHECK(mining.session.in_flight() == 100'000);
}

TEST_CASE("Many jobs without a clean one: the ids of old ones are forgotten") {
    Mining mining;
    const auto first = mining.job();
    json params = notify_params("");
    for (int i = 0; i < 1100; ++i) {
        params[0] = "job" + std::to_string(i);
        mining.call("mining.notify", params);
    }
    CHECK(mining.session.assess(share_of(first, 0, 1)) == SubmitDecision::kStale);
    CHECK(mining.session.assess(share_of(mining.pool.jobs[500], 0, 1)) == SubmitDecision::kSend);
}

TEST_CASE("A higher difficulty that is in force at once holds for the running job after the first refusal") {
    Talk talk;
    talk.log_in();
    talk.call("mining.set_difficulty", {2});
    talk.call("mining.notify", notify_params("1"));
    const auto first = talk.session.current_job();
    const auto refuse = [&](std::uint64_t request) {
        talk.hear({{"id", request}, {"result", nullptr}, {"error", {23, "Low difficulty share", nullptr}}});
        return talk.pool.replies.back().second;
    };
    const std::uint64_t early = talk.submit(share_of(first, 0, 1)).second;
    const std::uint64_t other = talk.submit(share_of(first, 0, 2)).second;
    talk.call("mining.set_difficulty", {4});
    CHECK(talk.pool.jobs.size() == 1);
    CHECK(refuse(early).outdated);
    REQUIRE(talk.pool.jobs.size() == 2);
    const auto harder = talk.pool.jobs[1];
    CHECK(harder->id() == "1");
    CHECK(harder->difficulty() == 4);
    CHECK(harder->target() == share_target(4));
    CHECK_FALSE(harder->header(0) == first->header(0));
    CHECK(talk.submit(share_of(first, 1, 3)).first == SubmitDecision::kTooEasy);
    CHECK(talk.submit(share_of(first, 1, 4, 0, true)).first == SubmitDecision::kSend);  // a block
    StratumShare good = share_of(first, 1, 5);
    good.hash = harder->target();
    CHECK(talk.submit(good).first == SubmitDecision::kSend);
    CHECK(refuse(other).outdated);
    StratumShare hard = share_of(harder, 0, 6);
    hard.hash = Hash256{};
    CHECK_FALSE(refuse(talk.submit(hard).second).outdated);
    SECTION("once a job") {
        talk.call("mining.set_difficulty", {8});
        hard.hash.bytes[31] = 1;
        CHECK_FALSE(refuse(talk.submit(hard).second).outdated);
        CHECK(talk.session.current_job() == harder);
        talk.call("mining.notify", notify_params("2"));
        CHECK(talk.session.current_job()->difficulty() == 8);
        const std::uint64_t request = talk.submit(share_of(talk.session.current_job(), 0, 7)).second;
        talk.call("mining.set_difficulty", {16});
        CHECK(refuse(request).outdated);
        CHECK(talk.session.current_job()->difficulty() == 16);
    }
    SECTION("a lower one is for the jobs that follow") {
        talk.call("mining.notify", notify_params("2"));
        const std::uint64_t request = talk.submit(share_of(talk.session.current_job(), 0, 7)).second;
        talk.call("mining.set_difficulty", {1});
        CHECK_FALSE(refuse(request).outdated);
        CHECK(talk.session.current_job()->difficulty() == 4);
    }
}
