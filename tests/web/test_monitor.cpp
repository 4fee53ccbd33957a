// Tests of the documents of a run, made from its events.
#include "web/monitor.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/web/sample.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::web;

namespace {

class Job : public MiningJob {
public:
    [[nodiscard]] BlockHeader header(std::uint64_t) const override { return {}; }
    [[nodiscard]] Hash256 target() const override { return target_from_difficulty(8); }
    [[nodiscard]] std::uint32_t version_mask() const override { return 0x1fffe000; }
};

net::AnsweredFind answer(const std::string& verdict, bool is_block = false) {
    return {.is_block = is_block,
            .verdict = verdict,
            .hash = std::string(64, '0'),
            .difficulty = 8,
            .latency_ms = 12.5,
            .server = "pool",
            .reason = verdict == "rejected" ? "evil \x1b[31m reason" : ""};
}

}  // namespace

TEST_CASE("before anything happened there is a summary, too") {
    const Monitor monitor({.command = "pool", .has_server = true});
    const auto summary = monitor.summary();
    CHECK(summary["hash_rate"] == 0);
    CHECK(summary["last_accepted_seconds"].is_null());
    CHECK(summary["difficulty"].is_null());
    CHECK(summary["odds"]["block_seconds"].is_null());
    CHECK(summary["server"]["connected"] == false);
    CHECK(monitor.devices()["devices"].empty());
    CHECK(monitor.job()["job"].is_null());
    CHECK(monitor.history()["hour"]["end"].is_null());
    CHECK(monitor.log()["log"].empty());
    CHECK(Monitor({.command = "mine", .has_server = false}).summary()["server"].is_null());
}

TEST_CASE("a moment of a run") {
    Monitor monitor({.command = "pool", .has_server = true});
    monitor.sample(pool_sample());
    const auto summary = monitor.summary();
    CHECK(summary["hashes"] == 3'000);
    CHECK(summary["accepted"] == 12);
    CHECK(summary["best_difficulty"].get<double>() == Approx(1234).epsilon(1e-3));
    CHECK(summary["server"]["latency_ms"] == 38.5);
    CHECK(summary["odds"]["share_seconds"].get<double>() == Approx(8 * 4294967296.0 / 1e6));
    CHECK(contains(summary["odds"]["warning"], "a share takes"));
    CHECK(summary["reject_reasons"]["Above target"] == 1);
    const auto devices = monitor.devices()["devices"];
    REQUIRE(devices.size() == 2);
    CHECK(devices[1]["number"] == 1);
    CHECK(devices[1]["too_hot"] == true);
    CHECK(devices[1]["paused"] == false);
    CHECK(devices[1]["wrong_candidates"] == 7);
    CHECK(monitor.device_names() == std::vector<std::string>{"cpu:avx2#0", "cuda:sm_90#0"});
    CHECK(monitor.history()["hour"]["hash_rate"].back() == 1e6);

    // At its end a search has no devices any more; what they did is still told.
    RunSample last = pool_sample();
    last.devices.clear();
    monitor.sample(last);
    CHECK(monitor.devices()["devices"].size() == 2);
}

TEST_CASE("sensors") {
    Monitor monitor({.command = "pool", .has_server = true});
    SensorReport sensors;
    sensors.devices["cuda:sm_90#0"].temperature_c = 61.5;
    sensors.devices["cuda:sm_90#0"].power_now_w = 300;
    sensors.devices["cpu:avx2#0"].temperature_c = 72;
    monitor.measured(sensors);
    monitor.sample(pool_sample());
    CHECK(monitor.devices()["devices"][1]["temperature_c"] == 61.5);
    CHECK(monitor.devices()["devices"][0]["power_w"].is_null());
    CHECK(monitor.summary()["power_w"] == 300);
    CHECK(monitor.devices()["devices"][0]["temperature_c"] == 72);
    CHECK(monitor.history()["hour"]["temperature_c"].back() == 72);
}

TEST_CASE("AxeOS' form has what is known, and nothing else") {
    const std::vector<std::string> always = {
        "version",      "hostname",       "uptimeSeconds",         "miningPaused",
        "hashRate",     "bestDiff",       "bestSessionDiff",       "sharesAccepted",
        "autofanspeed", "sharesRejected", "sharesRejectedReasons", "blockFound"};
    Monitor monitor({.command = "pool", .has_server = true});
    const auto names = [&] {
        std::vector<std::string> found;
        const auto info = monitor.axeos_info();
        for (const auto& [name, value] : info.items()) {
            CHECK_FALSE(value.is_null());
            found.push_back(name);
        }
        return found;
    };
    CHECK(names() == always);

    RunSample sample = pool_sample();
    (*sample.status.details)["pools"] = {
        {{"url", "stratum+tcp://first.example:3333"}, {"user", "one"}, {"active", false}},
        {{"url", "stratum+ssl://[2001:db8::1]:4444/#xnsub"}, {"user", "two.worker"}, {"active", true}}};
    sample.status.blocks = 1;
    monitor.sample(sample);
    SensorReport sensors;
    sensors.devices["cuda:sm_90#0"].temperature_c = 61.5;
    sensors.devices["cuda:sm_90#1"].temperature_c = 59;
    sensors.devices["cuda:sm_90#0"].power_now_w = 300;
    monitor.measured(sensors);
    const auto info = monitor.axeos_info();
    CHECK(names().size() == always.size() + 8);
    CHECK(info["hashRate"].get<double>() == Approx(1e-3));
    CHECK(info["bestDiff"].get<double>() == Approx(1234).epsilon(1e-3));
    CHECK(info["bestDiff"] == info["bestSessionDiff"]);
    CHECK(info["sharesAccepted"] == 12);
    CHECK(info["sharesRejected"] == 2);
    CHECK(info["sharesRejectedReasons"][0]["message"] == "Above target");
    CHECK(info["sharesRejectedReasons"][0]["count"] == 1);
    CHECK(info["blockFound"] == 1);
    CHECK(info["poolDifficulty"] == 8);
    CHECK(info["networkDifficulty"] == 1e14);
    CHECK(info["responseTime"] == 38.5);
    CHECK(info["temp"] == 61.5);
    CHECK(info["power"] == 300);
    CHECK(info["stratumURL"] == "2001:db8::1");
    CHECK(info["stratumPort"] == 4444);
    CHECK(info["stratumUser"] == "two.worker");

    for (auto& pool : (*sample.status.details)["pools"]) pool["active"] = false;  // the connection is lost
    monitor.sample(sample);
    CHECK(monitor.axeos_info()["stratumURL"] == "first.example");

    Monitor next({.command = "solo", .has_server = true});
    next.restore(R"({"format": "gpuminer history", "best_difficulty": 5000})");
    next.sample(pool_sample());
    CHECK(next.axeos_info()["bestDiff"] == 5000);
    CHECK(next.axeos_info()["bestSessionDiff"].get<double>() == Approx(1234).epsilon(1e-3));
    CHECK_FALSE(next.axeos_info().contains("stratumURL"));
}

TEST_CASE("the current job") {
    Monitor monitor({.command = "pool", .has_server = true});
    const Job job;
    monitor.sample(pool_sample());
    monitor.job(&job);
    monitor.job(&job);
    const auto told = monitor.job()["job"];
    CHECK(told["number"] == 2);
    CHECK(told["difficulty"].get<double>() == Approx(8).epsilon(1e-6));
    CHECK(told["version_mask"] == "1fffe000");
    CHECK(told["height"] == 900'000);
    CHECK(told["bip54"] == false);
    CHECK(told["payment"].is_null());
    monitor.job(nullptr);
    CHECK(monitor.job()["job"].is_null());
}

TEST_CASE("shares, blocks and messages: the last ones, and nothing that does something to a terminal") {
    Monitor monitor({.command = "pool", .has_server = true});
    for (int i = 0; i < 300; ++i) monitor.answered(answer(i == 299 ? "rejected" : "accepted"));
    monitor.answered(answer("accepted", true));
    const auto shares = monitor.shares()["shares"];
    REQUIRE(shares.size() == 200);
    CHECK(shares[199]["verdict"] == "rejected");
    CHECK_FALSE(contains(shares[199]["reason"], "\x1b"));
    CHECK(shares[0]["reason"].is_null());
    CHECK(monitor.blocks()["blocks"].size() == 1);
    for (int i = 0; i < 200; ++i)
        monitor.notice({Severity::kWarning, "line " + std::to_string(i) + std::string(1000, 'x')});
    monitor.notice({Severity::kDebug, "not for everybody"});
    const auto log = monitor.log()["log"];
    REQUIRE(log.size() == 100);
    CHECK(log[0]["text"].get<std::string>().starts_with("line 100"));
    CHECK(log[0]["text"].get<std::string>().size() < 600);
    CHECK(log[99]["severity"] == "warning");
}

TEST_CASE("the hour after a restart is that of the day's minutes") {
    using std::chrono::system_clock;
    const auto unix_time = [] { return std::int64_t{system_clock::to_time_t(system_clock::now())}; };
    const std::int64_t now = unix_time();
    const auto restored = [](std::int64_t end, const std::string& rates) {
        Monitor monitor({.command = "pool", .has_server = true});
        monitor.restore(R"({"format": "gpuminer history", "best_difficulty": 1, "day": {"step_seconds": 60, "end": )" +
                        std::to_string(end) + R"(, "hash_rate": )" + rates +
                        R"(, "temperature_c": [], "power_w": []}})");
        return monitor.history()["hour"];
    };
    const std::int64_t then = now / 60 * 60 - 600;
    const auto hour = restored(then, "[5, null, 7]");
    CHECK(hour["end"] == then + 59);
    REQUIRE(hour["hash_rate"].size() == 180);
    CHECK(hour["hash_rate"][59] == 5);
    CHECK(hour["hash_rate"][60].is_null());
    CHECK(hour["hash_rate"][120] == 7);
    CHECK(hour["hash_rate"][179] == 7);

    // More than an hour; and a minute that has not passed yet, so that the next sample is later than all of them.
    std::string rates = "[1";
    for (int i = 2; i <= 100; ++i) rates += ", " + std::to_string(i);
    const auto full = restored(then, rates + "]");
    REQUIRE(full["hash_rate"].size() == 3600);
    CHECK(full["hash_rate"][0] == 41);
    CHECK(full["hash_rate"][3599] == 100);
    const std::int64_t end = restored(now / 60 * 60 + 60, "[1, 2, 3]")["end"].get<std::int64_t>();
    CHECK(end < unix_time());
    CHECK(restored(now / 60 * 60 + 6000, "[1, 2]")["end"].is_null());
}

TEST_CASE("the best difficulty and the day are kept from run to run") {
    Monitor first({.command = "pool", .has_server = true});
    first.sample(pool_sample());
    const std::string kept = first.keepsake();
    Monitor second({.command = "pool", .has_server = true});
    second.restore(kept);
    CHECK(second.summary()["best_difficulty"] == 0);
    CHECK(second.summary()["best_difficulty_ever"].get<double>() == Approx(1234).epsilon(1e-3));
    CHECK(second.history()["day"]["hash_rate"].back() == 1e6);
    for (const char* text : {"", "null", "{", "[1]", R"({"format": "other", "best_difficulty": 9})",
                             R"({"format": "gpuminer history", "best_difficulty": "x", "day": 7})"}) {
        second.restore(text);
        CHECK(second.summary()["best_difficulty_ever"].get<double>() == Approx(1234).epsilon(1e-3));
        CHECK(with_best_of(kept, text) == kept);
    }
}

TEST_CASE("the ten best shares of all runs, each once, by the difficulties of their hashes") {
    const auto share = [](int number, const std::string& verdict = "accepted") {
        net::AnsweredFind find = answer(verdict);
        find.hash = std::string(63, '0') + "0123456789abcdef"[number];
        find.share_difficulty = number;
        return find;
    };
    Monitor first({.command = "pool", .has_server = true}), second({.command = "pool", .has_server = true});
    for (const int number : {3, 9, 1, 9, 7}) first.answered(share(number));
    first.answered(share(15, "rejected"));
    for (const int number : {2, 4, 5, 6, 8, 10, 11}) second.answered(share(number));
    const std::string both = with_best_of(first.keepsake(), second.keepsake());
    CHECK(both == with_best_of(both, first.keepsake()));
    Monitor next({.command = "pool", .has_server = true});
    next.restore(both);
    next.answered(share(12));
    const auto best = next.shares()["best"];
    REQUIRE(best.size() == 10);
    const std::vector<int> expected{12, 11, 10, 9, 8, 7, 6, 5, 4, 3};
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(best[i]["share_difficulty"] == expected[i]);
    CHECK(best[0]["hash"] == share(12).hash);
    for (const char* text :
         {R"([7, {"time": "x"}])", R"([{"time": 1, "share_difficulty": 5, "hash": "x", "server": ""}])",
          R"([{"time": 1, "share_difficulty": null, "hash": "", "server": ""}])", "{}"}) {
        next.restore(std::string(R"({"format": "gpuminer history", "best_shares": )") + text + "}");
        CHECK(next.shares()["best"] == best);
    }
}

TEST_CASE("of two runs that end the better one's best is kept, whoever writes last") {
    Monitor better({.command = "pool", .has_server = true}), worse({.command = "pool", .has_server = true});
    better.sample(pool_sample());
    RunSample sample = pool_sample();
    sample.progress.best = target_from_difficulty(5);
    worse.sample(sample);
    for (const std::string& kept :
         {with_best_of(better.keepsake(), worse.keepsake()), with_best_of(worse.keepsake(), better.keepsake())}) {
        Monitor next({.command = "pool", .has_server = true});
        next.restore(kept);
        CHECK(next.best_before() == Approx(1234).epsilon(1e-3));
        CHECK(next.history()["day"]["hash_rate"].back() == 1e6);
    }
}
