// Tests of the statistics of rounds.
#include "bench/document/statistics.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "tests/bench/bench_tools.hpp"
#include "tests/catch.hpp"

namespace gpuminer::bench {
namespace {

using test::rounds_of;

/// All at one moment: nothing can have drifted.
std::vector<Round> at_once(const std::vector<double>& values) {
    std::vector<Round> rounds = rounds_of(values);
    for (Round& round : rounds) round.at = 0;
    return rounds;
}

void check(const Ratio& ratio, double estimate, double low, double high, double tolerance = 1e-10) {
    CHECK(ratio.estimate == Approx(estimate).epsilon(1e-10));
    CHECK(ratio.low == Approx(low).epsilon(tolerance));
    CHECK(ratio.high == Approx(high).epsilon(tolerance));
}

class Noise {
public:
    /// Rounds around `level` with a standard deviation of 1 %; each takes over a part of what disturbed the one before
    /// (an autoregressive process of the first order).
    std::vector<Round> rounds(double level, unsigned count, double taken_over = 0) {
        std::vector<double> values;
        double disturbance = normal_(generator_);
        for (unsigned i = 0; i < count; ++i) {
            disturbance = taken_over * disturbance + std::sqrt(1 - taken_over * taken_over) * normal_(generator_);
            values.push_back(level * (1 + 0.01 * disturbance));
        }
        return rounds_of(values);
    }

private:
    std::mt19937_64 generator_{20261121};
    std::normal_distribution<double> normal_;
};

}  // namespace

TEST_CASE("the median is the middle one, or the mean of the middle two") {
    CHECK(median({7}) == 7);
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 3, 2}) == 2.5);
    constexpr double kMost = std::numeric_limits<double>::max();
    CHECK(median({kMost, kMost}) == kMost);
}

TEST_CASE("a quantile is the value of the nearest rank") {
    const std::vector<double> values{50, 10, 40, 20, 30, 60, 70, 80, 110, 100, 90};  // 10 … 110
    CHECK(quantile(values, 0) == 10);
    CHECK(quantile(values, 0.1) == 20);
    CHECK(quantile(values, 0.5) == 60);
    CHECK(quantile(values, 0.9) == 100);
    CHECK(quantile(values, 1) == 110);
    CHECK(quantile({5}, 0.9) == 5);
    const Spread spread = spread_of(values);
    CHECK(spread.low == 20);
    CHECK(spread.median == 60);
    CHECK(spread.high == 100);
}

TEST_CASE("drift compares the first third of a short run with its last") {
    const Drift drift = drift_of(rounds_of({10, 12, 11, 5, 6, 7, 8, 9, 22}));  // at 0 … 8 s: windows of 8/3 s
    CHECK(drift.window_seconds == Approx(8.0 / 3));
    CHECK(drift.first == 11);
    CHECK(drift.last == 9);
    CHECK(drift.ratio() == Approx(9.0 / 11));
}

TEST_CASE("drift compares the first minute of a long run with its last") {
    const Drift drift = drift_of({{100, 1}, {130, 2}, {160, 3}, {161, 50}, {340, 60}, {341, 7}, {400, 9}});
    CHECK(drift.window_seconds == 60);
    CHECK(drift.first == 2);
    CHECK(drift.last == 9);  // 60, 7, 9
}

TEST_CASE("one round does not drift") {
    const Drift drift = drift_of(rounds_of({4}));
    CHECK(drift.window_seconds == 0);
    CHECK(drift.ratio() == 1);
    CHECK(drift_of(rounds_of({0, 0})).ratio() == 1);
}

// The expected values: numpy's median of the differences of logarithms; the interval of the shifts that
// scipy.stats.mannwhitneyu(b - shift, a, method="exact") does not reject at 5 % (scipy 1.17, shifts between all
// neighbouring differences tried).
TEST_CASE("the ratio of two runs is Hodges and Lehmann's, with Mann and Whitney's exact interval") {
    check(ratio_of(at_once({100, 103, 98, 101}), at_once({110, 108, 113, 107})),  //
          1.090471969834, 1.038834951456, 1.153061224490);
    check(ratio_of(at_once({31.6, 31.2, 31.9, 31.4, 31.75, 31.66, 30.9, 31.5, 31.55}),
                   at_once({32.1, 31.8, 32.4, 31.3, 32.0, 32.25, 31.7, 32.6, 31.95})),
          1.015822784810, 1.004754358162, 1.028571428571);
    check(ratio_of(at_once({5.1, 4.9, 5.3, 5.0, 5.22}), at_once({5.05, 4.87, 5.4, 5.15, 4.95, 5.25, 5.33})),
          1.009803921569, 0.954901960784, 1.058823529412);
    check(ratio_of(at_once({100, 100.37, 100.74, 101.11}),
                   at_once({100.05, 100.15, 100.25, 100.35, 100.45, 100.55, 100.65, 100.75, 100.85})),
          0.998955505929, 0.993150684932, 1.004782305470);
}

TEST_CASE("fewer than four rounds on a side tell nothing") {
    const Ratio ratio = ratio_of(rounds_of({1, 1, 1}), rounds_of({2, 2, 2, 2, 2, 2}));
    CHECK(ratio.estimate == Approx(2));
    CHECK(ratio.low == 0);
    CHECK(std::isinf(ratio.high));
    CHECK_FALSE(ratio.significant());
    const Ratio none = ratio_of({}, rounds_of({2}));
    CHECK(none.estimate == 1);
    CHECK_FALSE(none.significant());
}

TEST_CASE("a run against itself is equal") {
    const std::vector<Round> rounds = rounds_of({3, 3, 3, 3, 3});
    check(ratio_of(rounds, rounds), 1, 1, 1);
}

TEST_CASE("zero, negative and enormous values give finite ratios") {
    const double most = std::numeric_limits<double>::max();
    const auto zero = rounds_of({0, 0, 0, 0});
    CHECK(ratio_of(zero, zero).estimate == Approx(1));
    CHECK_FALSE(ratio_of(rounds_of({5, 5, 5, 5}), zero).significant());  // no ratio: nothing can be told
    for (const auto& a : {zero, rounds_of({-1, 2, 3, 0}), rounds_of({most, -most, most, 1})}) {
        for (const auto& b : {zero, rounds_of({most, most, most, most}), rounds_of({-1, -2, -3, -4})}) {
            const Ratio ratio = ratio_of(a, b);
            CHECK(std::isfinite(ratio.estimate));
            CHECK(ratio.low <= ratio.estimate);
            CHECK(ratio.estimate <= ratio.high);
        }
    }
}

TEST_CASE("a drift within a run widens the interval") {
    std::vector<double> steady;
    std::vector<double> drifting;
    for (int i = 0; i < 9; ++i) {
        steady.push_back(100 + i % 2 * 0.02);
        drifting.push_back(97 - i * 0.5 + i % 2 * 0.02);  // 97 … 93: 5 % slower in the middle
    }
    const Ratio at_once_ratio = ratio_of(at_once(steady), at_once(drifting));
    const Ratio ratio = ratio_of(rounds_of(steady), rounds_of(drifting));
    CHECK(at_once_ratio.significant());
    CHECK(ratio.estimate == at_once_ratio.estimate);
    CHECK(ratio.low < at_once_ratio.low);
    CHECK(ratio.high > at_once_ratio.high);
    // Twenty per cent are beyond any such drift.
    for (double& value : drifting) value *= 0.8;
    CHECK(ratio_of(rounds_of(steady), rounds_of(drifting)).significant());
}

TEST_CASE("equal runs seldom look different, and a difference of five per cent is found") {
    Noise noise;
    constexpr unsigned kTrials = 2000;
    unsigned false_alarms = 0;
    unsigned found = 0;
    for (unsigned i = 0; i < kTrials; ++i) {
        false_alarms += ratio_of(noise.rounds(100, 9), noise.rounds(100, 9)).significant() ? 1 : 0;
        found += ratio_of(noise.rounds(100, 9), noise.rounds(95, 9)).high < 1 ? 1 : 0;
    }
    INFO(false_alarms << " false alarms, " << found << " found, of " << kTrials);
    CHECK(false_alarms > kTrials / 100);  // an interval that is always right is too wide to be of use
    CHECK(false_alarms < kTrials / 10);
    CHECK(found > kTrials * 95 / 100);
}

TEST_CASE("short rounds that resemble their neighbours seldom look different") {
    Noise noise;
    constexpr unsigned kTrials = 250;
    for (const double taken_over : {0.3, 0.6, 0.8}) {
        unsigned false_alarms = 0;
        for (unsigned i = 0; i < kTrials; ++i) {
            false_alarms +=
                ratio_of(noise.rounds(100, 301, taken_over), noise.rounds(100, 301, taken_over)).significant() ? 1 : 0;
        }
        CAPTURE(taken_over, false_alarms);
        CHECK(false_alarms < kTrials / 10);
    }
}

TEST_CASE("hundreds and thousands of rounds are compared as well") {
    Noise noise;
    CHECK_FALSE(ratio_of(noise.rounds(100, 301), noise.rounds(100, 301)).significant());
    CHECK(ratio_of(noise.rounds(100, 301), noise.rounds(101, 301)).significant());
    CHECK(ratio_of(noise.rounds(100, 20000), noise.rounds(101, 20000)).significant());
    CHECK(ratio_of(noise.rounds(100, 4), noise.rounds(110, 301)).significant());
}

}  // namespace gpuminer::bench
