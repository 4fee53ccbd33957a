// Tests of the login: configure, subscribe and authorize, their replies and time limits, against a pool in the test.
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using std::chrono::seconds;

namespace {

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("The login: configure, subscribe, suggest, extranonce and authorize, suggest again") {
    StratumOptions chosen = options();
    chosen.suggest_difficulty = 1000.75;
    Talk talk(chosen);
    CHECK(talk.pool.methods() == Texts{"mining.configure"});
    CHECK(talk.pool.sent[0]["params"] == json::array({{"version-rolling", "subscribe-extranonce", "minimum-difficulty"},
                                                      {{"version-rolling.mask", "1fffe000"},
                                                       {"version-rolling.min-bit-count", 1},
                                                       {"minimum-difficulty.value", 1000}}}));
    CHECK(talk.pool.sent[0]["params"][1]["minimum-difficulty.value"].is_number_integer());
    talk.reply("mining.configure", kRolling);
    CHECK(talk.pool.methods() == Texts{"mining.configure", "mining.subscribe"});
    CHECK(talk.pool.last("mining.subscribe")["params"] == json::array({"gpuminer/test"}));
    talk.reply("mining.subscribe", subscription("b", "F00Dcafe", 4));
    REQUIRE(talk.pool.subscriptions.size() == 1);
    CHECK(talk.pool.subscriptions[0].session == "b");
    CHECK(talk.pool.subscriptions[0].extranonce1 == "f00dcafe");
    CHECK(talk.pool.last("mining.authorize")["params"] == json::array({"user.worker", "x"}));
    CHECK(talk.pool.methods() == Texts{"mining.configure", "mining.subscribe", "mining.suggest_difficulty",
                                       "mining.extranonce.subscribe", "mining.authorize"});
    CHECK(talk.pool.last("mining.suggest_difficulty")["params"] == json::array({1000.75}));
    CHECK_FALSE(talk.session.ready());
    talk.reply("mining.authorize", true);
    CHECK(talk.session.ready());
    CHECK(talk.pool.logins == 1);
    CHECK(talk.pool.methods().back() == "mining.suggest_difficulty");
    CHECK(talk.session.version_rolling());
    CHECK(talk.pool.errors.empty());
}

TEST_CASE("Small wishes: no minimum difficulty below 1, no suggestion where there is none") {
    StratumOptions chosen = options();
    chosen.suggest_difficulty = 0.5;
    Talk small(chosen);
    CHECK(small.pool.sent[0]["params"][0] == json::array({"version-rolling", "subscribe-extranonce"}));
    Talk none;
    none.log_in();
    CHECK(none.pool.last("mining.suggest_difficulty").is_null());
    none.suggest(100);
    none.suggest(105);  // nearly the same
    CHECK(none.pool.last("mining.suggest_difficulty")["params"].dump() == "[100]");
    none.suggest(120);
    CHECK(none.pool.last("mining.suggest_difficulty")["params"].dump() == "[120]");
    for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
        none.suggest(wrong);
    }
    CHECK(none.pool.last("mining.suggest_difficulty")["params"].dump() == "[120]");
}

TEST_CASE("Replies to configure") {
    Talk talk;
    SECTION("granted: the extranonce is not asked for again") {
        json granted = kRolling;
        granted["subscribe-extranonce"] = true;
        talk.log_in(granted);
        CHECK(talk.session.version_rolling());
        CHECK(talk.pool.last("mining.extranonce.subscribe").is_null());
    }
    SECTION("refused in all ways") {
        const json error = GENERATE(json(nullptr), json::array({20, "Not supported"}), json(true), json("no"));
        talk.reply("mining.configure", nullptr, error);
        CHECK(talk.pool.methods().back() == "mining.subscribe");
        CHECK_FALSE(talk.session.version_rolling());
    }
    SECTION("without sense") {
        talk.reply("mining.configure", GENERATE(json(true), json::array({1}), json{{"version-rolling", 1}},
                                                json{{"version-rolling", "no"}}));
        CHECK(talk.pool.methods().back() == "mining.subscribe");
        CHECK_FALSE(talk.session.version_rolling());
    }
    SECTION("without a mask: granted, but no bit") {
        talk.log_in({{"version-rolling", true}});
        talk.call("mining.notify", notify_params("1"));
        CHECK(talk.session.version_rolling());
        CHECK(talk.pool.jobs.back()->version_mask() == 0);
    }
    SECTION("none within three seconds; a late one still counts") {
        talk.wait(seconds(2));
        CHECK(talk.pool.methods().back() == "mining.configure");
        talk.wait(seconds(1));
        CHECK(talk.pool.methods().back() == "mining.subscribe");
        talk.reply("mining.configure", kRolling);
        CHECK(talk.session.version_rolling());
        CHECK(talk.pool.methods().back() == "mining.subscribe");
    }
}

TEST_CASE("A session is resumed") {
    StratumOptions chosen = options();
    chosen.configure = false;
    chosen.resume_session = "s1";
    chosen.resume_extranonce1 = "f00dcafe";
    Talk talk(chosen);
    CHECK(talk.pool.last("mining.subscribe")["params"] == json::array({"gpuminer/test", "s1"}));
    SECTION("with the same extranonce") {
        talk.reply("mining.subscribe", subscription("s2", "f00dcafe", 4));
        CHECK(talk.pool.subscriptions[0].resumed);
    }
    SECTION("with another") {
        talk.reply("mining.subscribe", subscription("s2", "f00dcaff", 4));
        CHECK_FALSE(talk.pool.subscriptions[0].resumed);
    }
    SECTION("not: it is tried without") {
        talk.reply("mining.subscribe", nullptr, json::array({20, "unknown session"}));
        CHECK(talk.pool.last("mining.subscribe")["params"] == json::array({"gpuminer/test"}));
        talk.reply("mining.subscribe", {nullptr, "f00dcafe", 4});
        CHECK(talk.pool.subscriptions[0].session.empty());
        CHECK(talk.pool.errors.empty());
    }
}

TEST_CASE("Refusals") {
    Talk talk;
    talk.reply("mining.configure", json::object());
    SECTION("of the subscription") {
        talk.reply("mining.subscribe", nullptr, json::array({25, "Full"}));
        CHECK(talk.pool.refusals == Texts{"the pool refuses the subscription: Full (25)"});
    }
    SECTION("of the user; the password is not shown") {
        talk.reply("mining.subscribe", {json::array(), "", 8});
        talk.reply("mining.authorize", false);
        CHECK(talk.pool.refusals == Texts{"the pool refuses user 'user.worker': no reason given"});
    }
    CHECK(talk.session.over());
    CHECK(talk.pool.logins == 0);
    const std::size_t sent = talk.pool.sent.size();
    talk.call("mining.notify", notify_params("1"));
    talk.hear_text("garbage");
    talk.wait(seconds(1000));
    CHECK(talk.pool.jobs.empty());
    CHECK(talk.pool.errors.empty());
    CHECK(talk.pool.sent.size() == sent);
}

TEST_CASE("A pool that sends nothing is given up") {
    Talk talk;
    talk.wait(seconds(3));  // for the reply to mining.configure; a pool without any reply is named after 5 s
    REQUIRE_FALSE(talk.pool.last("mining.subscribe").is_null());
    SECTION("no reply to subscribe") {
        talk.wait(seconds(29));
        CHECK(talk.pool.errors.empty());
        talk.wait(seconds(1));
        CHECK(talk.pool.errors == Texts{"the pool did not answer mining.subscribe within 30 s"});
    }
    SECTION("no reply to authorize") {
        talk.reply("mining.subscribe", {json::array(), "", 8});
        talk.call("mining.notify", notify_params("1"));
        talk.wait(seconds(30));
        CHECK(talk.pool.errors == Texts{"the pool did not answer mining.authorize within 30 s"});
    }
    SECTION("no work") {
        talk.log_in();
        talk.wait(seconds(119));
        CHECK(talk.pool.errors.empty());
        talk.wait(seconds(1));
        CHECK(talk.pool.errors == Texts{"the pool gave no work within 120 s"});
    }
    SECTION("work, and then nothing for long") {
        talk.log_in();
        talk.call("mining.notify", notify_params("1"));
        talk.wait(seconds(10'000));
        CHECK(talk.pool.errors.empty());
    }
}

TEST_CASE("Keep-alives, as some pools drop miners that send nothing") {
    StratumOptions chosen = options();
    const bool suggests = GENERATE(true, false);
    if (suggests) chosen.suggest_difficulty = 1;
    const std::string keep_alive = suggests ? "mining.suggest_difficulty" : "mining.extranonce.subscribe";
    Talk talk(chosen);
    talk.log_in();
    const auto sent = [&] { return talk.pool.sent.size(); };
    const std::size_t at_login = sent();
    SECTION("a first job that does not come is asked for once") {
        talk.wait(seconds(1));
        CHECK(sent() == at_login + 1);
        CHECK(talk.pool.methods().back() == keep_alive);
        talk.wait(seconds(10));
        CHECK(sent() == at_login + 1);
    }
    SECTION("one that does is not") {
        talk.call("mining.notify", notify_params("1"));
        talk.wait(seconds(10));
        CHECK(sent() == at_login);
    }
    SECTION("something every two minutes, where there are no shares") {
        talk.call("mining.notify", notify_params("1"));
        talk.wait(seconds(60));
        talk.submit(share_of(talk.session.current_job(), 1, 1));
        talk.wait(seconds(119));
        CHECK(sent() == at_login + 1);  // the share
        talk.wait(seconds(1));
        CHECK(sent() == at_login + 2);
        CHECK(talk.pool.methods().back() == keep_alive);
        talk.wait(seconds(1));
        CHECK(sent() == at_login + 2);
        talk.wait(seconds(119));
        CHECK(sent() == at_login + 3);
    }
}

TEST_CASE("The reason for refusing a suggested difficulty is kept") {
    StratumOptions chosen = options();
    chosen.suggest_difficulty = 1;
    Talk talk(chosen);
    talk.reply("mining.configure", json::object());
    talk.reply("mining.subscribe", subscription("b", "00", 4));
    talk.reply("mining.extranonce.subscribe", nullptr, {20, "Not supported.", nullptr});
    CHECK(talk.session.suggestion_refusal().empty());
    talk.reply("mining.suggest_difficulty", nullptr, {20, "Banned: Miner too slow", nullptr});
    CHECK(talk.session.suggestion_refusal() == "Banned: Miner too slow (20)");
}

TEST_CASE("Subscriptions that make no sense end the session") {
    const json result = GENERATE(json(true), json::array(), json::array({1, 2}), json::object(), json("x"),
                                 json::array({nullptr, nullptr, 4}), json::array({nullptr, 17, 4}),
                                 json::array({nullptr, "abc", 4}), json::array({nullptr, "zz", 4}),
                                 json::array({nullptr, std::string(66, '0'), 4}), json::array({nullptr, "00", 33}),
                                 json::array({nullptr, "00", "0x4"}), json::array({nullptr, "00", -1}),
                                 json::array({nullptr, "00", 1e300}), json::array({nullptr, "00", 2.5}),
                                 json::array({nullptr, "00", nullptr}), json::array({nullptr, "00", UINT64_MAX}));
    Talk talk;
    talk.reply("mining.configure", json::object());
    talk.reply("mining.subscribe", result);
    INFO(result);
    CHECK(talk.session.over());
    CHECK(talk.pool.errors.size() == 1);
    CHECK(talk.pool.subscriptions.empty());
}

TEST_CASE("Subscriptions of unusual form that make sense") {
    Talk talk;
    talk.reply("mining.configure", json::object());
    SECTION("a flat list") {
        talk.reply("mining.subscribe", json::array({json::array({"mining.notify", "flat"}), "00", "4"}));
        CHECK(talk.pool.subscriptions.at(0).session == "flat");
        CHECK(talk.pool.subscriptions.at(0).extranonce2_size == 4);
    }
    SECTION("more elements, a float") {
        talk.reply("mining.subscribe", {json::array({17, json::array({"mining.notify", 5})}), "00", 4.0, "more"});
        CHECK(talk.pool.subscriptions.at(0).session.empty());
        CHECK(talk.pool.subscriptions.at(0).extranonce2_size == 4);
    }
    CHECK(talk.pool.last("mining.authorize").is_object());
}
