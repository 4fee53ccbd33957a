// Tests of alert conditions and their texts.
#include "web/alerts.hpp"

#include <nlohmann/json.hpp>

#include "host/block/hash256.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/web/sample.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::web;
using Kind = Alert::Kind;

namespace {

/// A run's moments, a second apart.
class Moments {
public:
    explicit Moments(bool has_server, double best = 1e9) : watch_(has_server, best) { sample.progress.best.reset(); }
    /// The kinds of alerts of so many seconds.
    std::vector<Kind> pass(int seconds) {
        std::vector<Kind> kinds;
        for (int i = 0; i < seconds; ++i) {
            if (hashing) sample.progress.hashes_done += 1000;
            for (const Alert& alert : watch_.observe(sample, now_++)) {
                kinds.push_back(alert.kind);
                last = alert;
            }
        }
        return kinds;
    }

    RunSample sample = pool_sample();
    bool hashing = true;
    Alert last;

private:
    AlertWatch watch_;
    double now_ = 1000;
};

using Kinds = std::vector<Kind>;

}  // namespace

TEST_CASE("no hash for a minute is told once, until it is over") {
    Moments run(true);
    CHECK(run.pass(600).empty());
    run.hashing = false;
    CHECK(run.pass(59).empty());
    CHECK(run.pass(1000) == Kinds{Kind::kStall});
    CHECK(run.last.text == "no hash for 1 min 00 s");
    run.hashing = true;
    CHECK(run.pass(10).empty());
    run.hashing = false;
    CHECK(run.pass(100) == Kinds{Kind::kStall});
}

TEST_CASE("who is paused is not stalled") {
    Moments run(true);
    run.hashing = false;
    run.sample.progress.paused = true;
    CHECK(run.pass(1000).empty());
    run.sample.progress.paused = false;
    CHECK(run.pass(59).empty());
    CHECK(run.pass(10) == Kinds{Kind::kStall});
}

TEST_CASE("devices that are paused one by one are not stalled, and one that is not, is") {
    Moments run(true);
    run.hashing = false;
    run.sample.devices[0].paused_by_user = true;
    run.sample.devices[1].paused_for_heat = true;
    CHECK(run.pass(1000).empty());
    run.sample.devices[0].paused_by_user = false;
    CHECK(run.pass(59).empty());
    CHECK(run.pass(10) == Kinds{Kind::kStall});
}

TEST_CASE("no server for five minutes is one alert, and not that nothing is hashed meanwhile") {
    Moments run(true);
    run.hashing = false;
    run.sample.status.connected = false;
    CHECK(run.pass(300).empty());
    CHECK(run.pass(1000) == Kinds{Kind::kStall});
    CHECK(run.last.text == "no work from a server for 5 min 00 s");
    run.sample.status.connected = true;
    run.hashing = true;
    CHECK(run.pass(100).empty());
    Moments alone(false);
    alone.sample.status.connected = false;
    CHECK(alone.pass(1000).empty());
}

TEST_CASE("a device that is taken out is told once") {
    Moments run(true);
    CHECK(run.pass(10).empty());
    run.sample.devices[1].report.failure = "a scan failed: \x1b[31mred";
    CHECK(run.pass(10) == Kinds{Kind::kDeviceError});
    CHECK(contains(run.last.text, "cuda:sm_90#0 was quarantined: a scan failed"));
    CHECK_FALSE(contains(run.last.text, "\x1b"));
    run.sample.devices[0].report.failure = "too";
    CHECK(run.pass(10) == Kinds{Kind::kDeviceError});
}

TEST_CASE("a device that is paused for its temperature") {
    const Alert alert =
        AlertWatch::hot({"cuda:sm_90#0", 84, "cuda:sm_90#0 is paused at 84 °C until it cools to 73 °C"});
    CHECK(std::string(name_of(alert.kind)) == "hot");
    const auto json = nlohmann::json::parse(alert_json(alert, "attic"));
    CHECK(json["event"] == "hot");
    CHECK(json["device"] == "cuda:sm_90#0");
    CHECK(json["temperature_c"] == "84");
    CHECK(json["text"] == "gpuminer on attic: cuda:sm_90#0 is paused at 84 °C until it cools to 73 °C");
}

TEST_CASE("records are told when the first minute is over, and not one upon the other") {
    Moments run(true, 100);
    const auto find = [&](double difficulty) { run.sample.progress.best = target_from_difficulty(difficulty); };
    find(50);
    CHECK(run.pass(100).empty());  // of an earlier run's
    find(200);
    CHECK(run.pass(10) == Kinds{Kind::kBest});
    CHECK(run.last.facts[0].first == "difficulty");
    find(300);
    find(400);
    CHECK(run.pass(49).empty());
    CHECK(run.pass(10) == Kinds{Kind::kBest});
    CHECK(contains(run.last.text, "400"));
    CHECK(run.pass(100).empty());

    Moments fresh(true, 0);
    fresh.sample.progress.best = target_from_difficulty(1);
    CHECK(fresh.pass(60).empty());
    CHECK(fresh.pass(2) == Kinds{Kind::kBest});
}

TEST_CASE("blocks that a server has taken") {
    net::AnsweredFind find{.is_block = true,
                           .verdict = "accepted",
                           .hash = std::string(64, 'a'),
                           .difficulty = 8,
                           .latency_ms = {},
                           .server = "pool\nwith a line break",
                           .reason = {}};
    const auto alert = AlertWatch::answered(find);
    REQUIRE(alert);
    const auto json = nlohmann::json::parse(alert_json(*alert, "attic"));
    CHECK(json["host"] == "attic");
    CHECK(json["event"] == "block");
    CHECK(json["hash"] == find.hash);
    CHECK(json["text"] == json["content"]);
    CHECK(contains(json["text"], "gpuminer on attic: a block: pool with a line break has accepted aaaa"));
    find.verdict = "rejected";
    CHECK_FALSE(AlertWatch::answered(find));
    find.verdict = "accepted";
    find.is_block = false;
    CHECK_FALSE(AlertWatch::answered(find));
}
