// Tests of the rates over the last 10 s, minute and 15 minutes.
#include "web/rate_window.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

using namespace gpuminer::web;

TEST_CASE("rates over windows, once these are covered") {
    RateWindow window;
    CHECK_FALSE(window.rate(10));
    double hashes = 0;
    for (int second = 0; second <= 2000; ++second) {
        const double now = second * 1.01;  // a timer that is late
        window.add(now, static_cast<std::uint64_t>(hashes));
        if (second == 5) CHECK_FALSE(window.rate(10));
        if (second == 30) CHECK_FALSE(window.rate(60));
        hashes += second < 1950 ? 1e6 * 1.01 : 3e6 * 1.01;
    }
    CHECK(*window.rate(10) == Approx(3e6).epsilon(0.01));
    CHECK(*window.rate(60) == Approx((50 * 3e6 + 10 * 1e6) / 60).epsilon(0.03));
    CHECK(*window.rate(900) == Approx((50.5 * 3e6 + 849.5 * 1e6) / 900).epsilon(0.02));
    const auto rates = rates_json(window);
    CHECK(rates.size() == 3);
    CHECK(rates["15m"].is_number());
}

TEST_CASE("a machine that slept has no rate until it has worked for a while") {
    RateWindow window;
    for (int second = 0; second <= 100; ++second) window.add(second, static_cast<std::uint64_t>(second) * 1000);
    window.add(10'000, 100'000);
    CHECK(window.rate(10).value_or(0) < 1000);
    for (int second = 1; second <= 12; ++second)
        window.add(10'000 + second, 100'000 + static_cast<std::uint64_t>(second) * 1000);
    CHECK(*window.rate(10) == Approx(1000));
}
