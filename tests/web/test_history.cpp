// Tests of the rings behind the plots: gaps, clocks that jump, and values kept from run to run.
#include "web/history.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

using namespace gpuminer::web;
using Json = nlohmann::ordered_json;

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kStart = 1'790'000'040;  // a multiple of 60

HistoryPoint rate(float value) { return {value, kUnknown, kUnknown}; }

std::vector<float> rates(const HistoryRing& ring) {
    std::vector<float> values;
    for (const HistoryPoint& point : ring.points())
        values.push_back(std::isnan(point.hash_rate) ? -1 : point.hash_rate);
    return values;
}

}  // namespace

TEST_CASE("a ring keeps its latest points, and gaps are gaps") {
    HistoryRing ring(1, 5);
    CHECK(ring.points().empty());
    ring.add(kStart, rate(1));
    ring.add(kStart + 1, rate(2));
    ring.add(kStart + 4, rate(5));
    CHECK(rates(ring) == std::vector<float>{1, 2, -1, -1, 5});
    ring.add(kStart + 6, rate(7));
    CHECK(rates(ring) == std::vector<float>{-1, -1, 5, -1, 7});
    ring.add(kStart + 1000, rate(9));
    CHECK(rates(ring) == std::vector<float>{-1, -1, -1, -1, 9});
    CHECK(ring.newest() == kStart + 1000);
}

TEST_CASE("a step's point is the mean of its samples that are known") {
    HistoryRing ring(60, 10);
    for (int i = 0; i < 60; ++i) ring.add(kStart + i, {static_cast<float>(i), i < 30 ? kUnknown : 50.0F, kUnknown});
    ring.add(kStart + 60, rate(100));
    const auto points = ring.points();
    REQUIRE(points.size() == 2);
    CHECK(points[0].hash_rate == Approx(29.5));
    CHECK(points[0].temperature_c == 50);
    CHECK(std::isnan(points[0].power_w));
    CHECK(points[1].hash_rate == 100);
}

TEST_CASE("a clock that is set back") {
    HistoryRing ring(1, 5);
    ring.add(kStart, rate(1));
    ring.add(kStart + 1, rate(2));
    ring.add(kStart - 100, rate(4));  // counts as one that stands
    CHECK(rates(ring) == std::vector<float>{1, 3});
    ring.add(kStart - 10'000, rate(5));
    CHECK(rates(ring) == std::vector<float>{5});
}

TEST_CASE("a day's history is small, and comes back as it was") {
    HistoryRing day(60, 1440);
    for (int i = 0; i < 3000; ++i)
        day.add(kStart + i * 60, {39'812'345.0F + static_cast<float>(i), i % 7 == 0 ? kUnknown : 61.27F, 0.0F});
    const Json told = history_json(day);
    CHECK(told.dump().size() < 60'000);
    CHECK(told["step_seconds"] == 60);
    CHECK(told["end"] == kStart + 2999 * 60);
    CHECK(told["hash_rate"].size() == 1440);
    CHECK(told["hash_rate"][0] == 39'810'000);  // four digits
    CHECK(told["temperature_c"][1440 - 2999 % 7 - 1].is_null());
    HistoryRing again(60, 1440);
    restore_history(again, told);
    const bool same = history_json(again) == told;  // not printed
    CHECK(same);
    again.add(kStart + 3000 * 60, rate(1));
    CHECK(again.points().size() == 1440);
    CHECK(again.points().back().hash_rate == 1);
}

TEST_CASE("what is no history is not taken for one") {
    HistoryRing ring(60, 4);
    ring.add(kStart, rate(3));
    for (const char* text :
         {"null", "[]", "{}",
          R"({"step_seconds": 1, "end": 1790000040, "hash_rate": [], "temperature_c": [], "power_w": []})",
          R"({"step_seconds": 60, "end": -5, "hash_rate": [1], "temperature_c": [1], "power_w": [1]})",
          R"({"step_seconds": 60, "end": 1e300, "hash_rate": [1], "temperature_c": [1], "power_w": [1]})",
          R"({"step_seconds": 60, "end": 1790000040, "hash_rate": [1], "temperature_c": {}, "power_w": [1]})"}) {
        restore_history(ring, Json::parse(text));
        CHECK(rates(ring) == std::vector<float>{3});
    }
    // Longer than the ring, and of different lengths.
    restore_history(ring, Json::parse(R"({"step_seconds": 60, "end": 1790000040, "hash_rate": [1, 2, 3, 4, 5, "x"],
                                         "temperature_c": [], "power_w": [1]})"));
    CHECK(rates(ring) == std::vector<float>{3, 4, 5, -1});
}
