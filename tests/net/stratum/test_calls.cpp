// Tests of the calls of a pool: jobs, difficulty, extranonce, requests; in order and malformed.
#include <algorithm>
#include <cstddef>
#include <set>

#include "net/stratum/message.hpp"
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

TEST_CASE("Difficulty: for jobs from the next one on, also before the login, and for the first job in any case") {
    Talk talk;
    talk.reply("mining.configure", json::object());
    talk.reply("mining.subscribe", {json::array(), "f00dcafe", 4});
    talk.call("mining.notify", notify_params("1"));
    CHECK(talk.pool.jobs.back()->difficulty() == 1);
    talk.call("mining.set_difficulty", {"1e-5"});
    CHECK(talk.pool.jobs.size() == 2);  // the same work again, with the difficulty that was meant
    CHECK(talk.pool.jobs.back()->difficulty() == 1e-5);
    CHECK(talk.pool.jobs[1]->header(0).hex() != talk.pool.jobs[0]->header(0).hex());
    talk.call("mining.set_difficulty", {1e15});
    CHECK(talk.pool.jobs.size() == 2);
    talk.call("mining.notify", notify_params("2"));
    CHECK(talk.pool.jobs.back()->difficulty() == 1e15);
    CHECK(talk.pool.difficulties == std::vector<double>{1e-5, 1e15});
    for (const json& wrong : {json(0), json(-1), json("x"), json(nullptr), json::array(), json("nan"), json("inf")}) {
        talk.call("mining.set_difficulty", {wrong});
    }
    talk.call("mining.set_difficulty", nullptr);
    CHECK(talk.pool.warnings.size() == 8);
    talk.call("mining.notify", notify_params("3"));
    CHECK(talk.pool.jobs.back()->difficulty() == 1e15);
    CHECK_FALSE(talk.session.over());
}

TEST_CASE("A pool that sends much that is ignored does not fill the screen") {
    Talk talk;
    talk.log_in();
    for (int i = 0; i < 1000; ++i) talk.call("mining.set_difficulty", {-1});
    CHECK(talk.pool.warnings.size() == 10);
}

TEST_CASE("Jobs that come before the extranonce is known are kept") {
    Talk talk;
    talk.call("mining.notify", notify_params("1", true));
    talk.call("mining.notify", notify_params("2", false));
    CHECK(talk.pool.jobs.empty());
    talk.log_in();
    REQUIRE(talk.pool.jobs.size() == 1);
    CHECK(talk.pool.jobs[0]->id() == "2");
}

TEST_CASE("A new extranonce is for the jobs that follow, new version bits are valid at once") {
    Talk talk;
    talk.log_in(kRolling);
    talk.call("mining.notify", notify_params("1"));
    talk.call("mining.set_extranonce", {"0102", 2});
    talk.call("mining.set_version_mask", {"00006000"});
    REQUIRE(talk.pool.jobs.size() == 2);  // the same job again
    CHECK(talk.session.current_job()->extranonce1() == "f00dcafe");
    CHECK(talk.session.current_job()->version_mask() == 0x6000);
    CHECK(talk.pool.jobs[1]->header(0).hex() != talk.pool.jobs[0]->header(0).hex());
    talk.call("mining.set_version_mask", {"00006000"});
    CHECK(talk.pool.jobs.size() == 2);
    talk.call("mining.notify", notify_params("1"));
    CHECK(talk.session.current_job()->extranonce1() == "0102");
    CHECK(talk.session.current_job()->extranonce2(0) == "0000");
    CHECK(talk.session.current_job()->version_mask() == 0x6000);
    talk.call("mining.set_version_mask", {"1fffffe0"});  // all of BIP 323
    CHECK(talk.session.current_job()->version_mask() == 0x1fffffe0);
    talk.call("mining.set_version_mask", {17});
    CHECK(talk.pool.warnings.size() == 1);
    SECTION("bits without the extension are not rolled") {
        Talk plain;
        plain.log_in();
        plain.call("mining.set_version_mask", {"1fffe000"});
        plain.call("mining.notify", notify_params("1"));
        CHECK(plain.session.current_job()->version_mask() == 0);
    }
    SECTION("an extranonce without sense ends the session") {
        talk.call("mining.set_extranonce",
                  GENERATE(json(nullptr), json::array(), json::array({17, 4}), json::array({"00", 33}),
                           json::array({"0", 4}), json::array({"00", -3}), json::array({"00"})));
        CHECK(talk.session.over());
        CHECK(talk.pool.errors.size() == 1);
    }
}

TEST_CASE("Extranonces of every size, before and after a reconnection and a change: no header twice") {
    const unsigned size = GENERATE(range(0u, 33u));
    const std::string extranonce1(2 * GENERATE(std::size_t{0}, std::size_t{4}, kLongestExtranonce), 'e');
    INFO(size << " " << extranonce1);
    StratumOptions options;
    options.recent_work = std::make_shared<RecentWork>(0xfedcba9876543210);
    std::set<std::string> headers;
    std::size_t made = 0;
    const auto mine = [&](const std::shared_ptr<const StratumJob>& job, std::size_t bytes) {
        for (std::uint64_t index = 0; index < 3; ++index, ++made) {
            REQUIRE(job->has_header(index));
            headers.insert(job->header(index).hex());
            const Bytes extranonce2 = from_hex(share_of(job, index, 1).extranonce2);
            REQUIRE(extranonce2.size() == bytes);
            const auto counted = static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes, 8));
            CHECK(std::all_of(extranonce2.begin() + counted, extranonce2.end(), [](auto byte) { return byte == 0; }));
            CHECK(job->header(index).merkle_root() ==
                  root_of(notify_params("1"), job->extranonce1(), to_hex(extranonce2)));
        }
    };
    for (int connection = 0; connection < 2; ++connection) {
        Talk talk(options);
        talk.log_in(json::object(), extranonce1, static_cast<int>(size));
        REQUIRE(talk.pool.errors.empty());
        CHECK(talk.pool.subscriptions.at(0).extranonce2_size == size);
        talk.call("mining.notify", notify_params("1", true));
        mine(talk.session.current_job(), size);
        const unsigned other = kLongestExtranonce - size;
        talk.call("mining.set_extranonce", {extranonce1, other});
        talk.call("mining.notify", notify_params("2", true));
        if (other != size) mine(talk.session.current_job(), other);
        CHECK(talk.pool.errors.empty());
    }
    CHECK(headers.size() == made);
}

TEST_CASE("A coinbase whose script is too long with its extranonces gets one sentence") {
    // The script of the tests has a length of 46 in its first part.
    const auto warnings = [](const char* length) {
        Talk talk;
        talk.log_in(json::object(), std::string(64, 'e'), 32);
        json params = notify_params("1");
        params[2] = std::string(kCoinbase1).replace(82, 2, length);
        params[3] = std::string(300, '0');
        talk.call("mining.notify", params);
        params[0] = "2";
        talk.call("mining.notify", params);
        CHECK(talk.pool.jobs.size() == 2);
        CHECK_FALSE(talk.session.over());
        return talk.pool.warnings;
    };
    CHECK(warnings("64").empty());
    CHECK(warnings("65") ==
          std::vector<std::string>{"with both extranonces the coinbase's script has 101 bytes, expected at most 100: "
                                   "every node will refuse the pool's blocks"});
}

TEST_CASE("Without extranonce2 devices wait once the time is 6000 s ahead, and go on as it passes") {
    auto now = std::make_shared<SteadyTime>(std::chrono::hours(1));
    StratumOptions chosen = options();
    chosen.clock = [now] { return *now; };
    Talk talk(chosen);
    const auto wait = [&](std::chrono::seconds time) {
        *now += time;
        talk.wait(time);
    };
    talk.log_in(json::object(), "f00dcafe", 0);
    talk.call("mining.notify", notify_params("1"));
    const auto job = talk.session.current_job();
    const auto time = [&](std::uint64_t index) { return job->header(index).time() - 0x6b001bdc; };
    CHECK(time(0) == 0);
    CHECK(time(6000) == 6000);
    CHECK(job->has_header(6000));
    wait(std::chrono::seconds(1));
    CHECK(talk.pool.warnings.empty());
    CHECK_FALSE(job->has_header(6002));
    wait(std::chrono::seconds(1));
    CHECK(talk.pool.warnings.size() == 1);
    CHECK(talk.pool.jobs.size() == 1);
    wait(std::chrono::seconds(100));
    REQUIRE(talk.pool.jobs.size() == 2);
    CHECK(talk.pool.jobs[1] == job);
    CHECK(time(6102) == 6102);  // the job's age does not move it further
    CHECK_FALSE(job->has_header(6103));
    wait(std::chrono::seconds(10));
    CHECK(talk.pool.jobs.size() == 2);  // too few to wake the devices
    wait(std::chrono::seconds(21));
    CHECK(talk.pool.jobs.size() == 3);
    CHECK(talk.pool.warnings.size() == 1);
}

TEST_CASE("The same work under another id, as pools send it after a new block, is not searched twice") {
    Talk talk;
    talk.log_in();
    talk.call("mining.notify", notify_params("1", true));
    const BlockHeader first = talk.pool.jobs[0]->header(0);
    talk.call("mining.notify", notify_params("2", false));
    REQUIRE(talk.pool.jobs.size() == 2);
    CHECK(talk.pool.jobs[1]->header(0).hex() != first.hex());
    CHECK(talk.pool.jobs[1]->header(0).time() == first.time());
    talk.call("mining.notify", notify_params("3", true));
    CHECK(talk.pool.jobs[2]->header(0).hex() != first.hex());
    CHECK(talk.pool.jobs[2]->header(0).hex() != talk.pool.jobs[1]->header(0).hex());
    json other = notify_params("4");
    other[7] = "6b001bdd";
    talk.call("mining.notify", other);
    CHECK(talk.pool.jobs[3]->extranonce2(0) == "00000000");
}

TEST_CASE("What pools ask of miners") {
    Talk talk;
    talk.log_in();
    const auto last = [&] { return talk.pool.sent.back(); };
    talk.hear({{"id", 99}, {"method", "client.get_version"}, {"params", json::array()}});
    CHECK(last() == json{{"id", 99}, {"result", "gpuminer/test"}, {"error", nullptr}});
    talk.hear({{"id", "p"}, {"method", "mining.ping"}});
    CHECK(last() == json{{"id", "p"}, {"result", "pong"}, {"error", nullptr}});
    talk.hear({{"id", 0}, {"method", "client.ping"}});
    CHECK(last() == json{{"id", 0}, {"result", "pong"}, {"error", nullptr}});
    talk.hear({{"id", 7}, {"method", "mining.nosuch"}});
    CHECK(last() == json{{"id", 7}, {"result", nullptr}, {"error", {20, "Unknown method", nullptr}}});
    const std::size_t sent = talk.pool.sent.size();
    talk.call("mining.nosuch", {1, 2, 3});
    talk.call("client.get_version", nullptr);
    talk.hear({{"id", 1'000'000}, {"result", true}, {"error", nullptr}});
    talk.hear({{"id", nullptr}, {"result", json::array()}, {"error", true}});
    talk.hear_text("");
    talk.hear_text(" \r");
    CHECK(talk.pool.sent.size() == sent);
    talk.call("client.show_message", {"Hello\x07 " + std::string(1000, 'x')});
    talk.call("client.show_message", "plain");
    talk.call("client.show_message", {17});
    REQUIRE(talk.pool.messages.size() == 2);
    CHECK(talk.pool.messages[0].substr(0, 8) == "Hello? x");
    CHECK(talk.pool.messages[0].size() == 200);
    CHECK(talk.pool.errors.empty());
}

TEST_CASE("client.reconnect") {
    Talk talk;
    talk.log_in();
    const std::pair<json, const char*> good[] = {{json::array(), ":0:0"},
                                                 {nullptr, ":0:0"},
                                                 {json::array({"a.example"}), "a.example:0:0"},
                                                 {json::array({"a.example", 3333}), "a.example:3333:0"},
                                                 {json::array({"a.example", "3333"}), "a.example:3333:0"},
                                                 {json::array({"a.example", 3333, 7}), "a.example:3333:7"},
                                                 {json::array({"a.example", 3333, "7"}), "a.example:3333:7"},
                                                 {json::array({"", 0, 1e9}), ":0:3600"},
                                                 {json::array({nullptr, nullptr, -5}), ":0:0"},
                                                 {json::array({"[::1]", 1}), "[::1]:1:0"}};
    for (const auto& [params, expected] : good) {
        talk.call("client.reconnect", params);
        CHECK(talk.pool.reconnects.back() == expected);
    }
    const std::size_t count = talk.pool.reconnects.size();
    for (const json& params : {json::array({17}), json::array({"a", -1}), json::array({"a", 65536}),
                               json::array({"a", "x"}), json::array({"a", json::array()}), json::array({"a b"}),
                               json::array({"a\nb"}), json::array({std::string(300, 'a')}), json::array({true})}) {
        talk.call("client.reconnect", params);
    }
    CHECK(talk.pool.reconnects.size() == count);
    CHECK(talk.pool.warnings.size() == 9);
}

TEST_CASE("Garbage ends the session with one sentence") {
    Talk talk;
    talk.log_in();
    talk.hear_text(GENERATE(as<std::string>(), "HTTP/1.1 400 Bad Request", "{\"id\":", "[]", "\x16\x03\x01",
                            R"({"method":"mining.notify","params":[]})"));
    CHECK(talk.session.over());
    REQUIRE(talk.pool.errors.size() == 1);
    CHECK(talk.pool.errors[0].starts_with("the pool does not speak Stratum: "));
    talk.hear_text("more");
    CHECK(talk.pool.errors.size() == 1);
}

TEST_CASE("After the first job, oddities are said once, and lines without sense are passed over") {
    Talk talk;
    talk.log_in();
    json odd = notify_params("1");
    odd[8] = "maybe";
    odd.push_back(17);
    talk.call("mining.notify", odd);
    odd[0] = "2";
    talk.call("mining.notify", odd);
    CHECK(talk.pool.jobs.size() == 2);
    REQUIRE(talk.pool.warnings.size() == 2);  // one of each kind
    CHECK(talk.pool.warnings[1] == "mining.notify: expected 9 parameters, got 10: what follows is passed over");
    for (int minute = 0; minute < 3; ++minute) {
        for (int i = 0; i < 9; ++i) talk.hear_text("garbage");
        CHECK_FALSE(talk.session.over());
        talk.wait(std::chrono::seconds(60));
    }
    CHECK(talk.pool.jobs.size() == 2);
    CHECK(talk.session.current_job());
    SECTION("a notify that cannot be read ends the job, though not its shares, and is one of those lines") {
        const StratumShare share = share_of(talk.session.current_job(), 0, 1);
        for (int i = 0; i < 9; ++i) {
            talk.call("mining.notify", i % 2 == 0 ? json(nullptr) : json::array({"3"}));
            CHECK_FALSE(talk.session.current_job());
        }
        REQUIRE(talk.pool.jobs.size() == 3);
        CHECK_FALSE(talk.pool.jobs[2]);
        CHECK(talk.submit(share).first == SubmitDecision::kSend);
        SECTION("work that follows is searched") {
            talk.call("mining.notify", notify_params("4"));
            CHECK(talk.session.current_job()->id() == "4");
            talk.wait(std::chrono::seconds(1000));
            CHECK_FALSE(talk.session.over());
        }
        SECTION("no work for two minutes is the end") {
            talk.wait(std::chrono::seconds(120));
            CHECK(talk.pool.errors.size() == 1);
        }
        SECTION("the tenth in a minute is the end") {
            talk.call("mining.notify", nullptr);
            REQUIRE(talk.pool.errors.size() == 1);
            CHECK(talk.pool.errors[0] == "the pool does not speak Stratum: mining.notify: expected a text as job id");
        }
    }
    SECTION("nBits without a target count as well") {
        odd[6] = "00000000";
        talk.call("mining.notify", odd);
        CHECK_FALSE(talk.session.current_job());
        CHECK_FALSE(talk.session.over());
    }
}

TEST_CASE("lines come in whatever pieces, and end as servers end them") {
    Talk talk;
    const std::string lines = R"({"id":null,"method":"mining.set_difficulty","params":[2]})"
                              "\r\n\n \t\n"
                              R"({"id":null,"method":"mining.set_difficulty","params":[3]})"
                              "\n{";
    const std::size_t size = GENERATE(1, 7, 1000);
    for (std::size_t at = 0; at < lines.size(); at += size) talk.hear_bytes(lines.substr(at, size));
    CHECK(talk.pool.difficulties == std::vector<double>{2, 3});
    CHECK(talk.received == "{");
}

TEST_CASE("a line of exactly 1 MiB is good, one more byte is not") {
    const bool whole = GENERATE(true, false);
    Talk talk;
    const std::string call = R"({"id":null,"method":"client.show_message","params":["hello"]})";
    talk.hear_bytes(call + std::string(kLongestStratumLine - call.size(), ' '));
    CHECK(talk.pool.errors.empty());
    talk.hear_bytes(whole ? "\n" : " ");
    CHECK(talk.pool.errors.size() == (whole ? 0 : 1));
    if (!whole) CHECK(talk.pool.errors.at(0) == "the pool sent a line of more than 1 MiB");
    CHECK(talk.pool.messages.size() == (whole ? 1 : 0));
}
