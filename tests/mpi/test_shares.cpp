// Tests of a rank's share of work: by the common cursor, and cut by rate.
#include <algorithm>
#include <cmath>
#include <random>

#include "mpi/shares.hpp"
#include "tests/host/search/search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::mpi;

TEST_CASE("what is left is numbered without gaps") {
    std::mt19937 random(31);
    for (int round = 0; round < 200; ++round) {
        constexpr std::uint64_t kPositions = 80;
        IntervalSet done;
        for (int i = 0; i < 5; ++i) {
            const std::uint64_t first = random() % kPositions;
            done.add({first, std::min<std::uint64_t>(kPositions, first + random() % 20)});
        }
        std::vector<std::uint64_t> left;
        for (std::uint64_t i = 0; i < kPositions; ++i) {
            if (!done.end_at(i)) left.push_back(i);
        }
        const RemainingWork work(kPositions, done);
        REQUIRE(work.size() == left.size());
        std::vector<std::uint64_t> handed_out;
        for (std::uint64_t cursor = 0; cursor < left.size() + 30;) {
            const std::uint64_t count = 1 + random() % 13;
            for (const Interval& interval : work.intervals(cursor, count)) {
                for (std::uint64_t i = interval.first; i < interval.end; ++i) handed_out.push_back(i);
            }
            cursor += count;
        }
        CHECK(handed_out == left);
    }
}

TEST_CASE("groups follow the rate, and shrink near the end") {
    GroupSize size(100);
    auto now = GroupSize::Clock::now();
    CHECK(size.is_low(0));
    CHECK(size.next(now, 1'000'000'000, 4) == 100);
    CHECK_FALSE(size.is_low(100));
    CHECK(size.next(now, 1'000'000'000, 4) == 200);
    CHECK(size.next(now, 1'000'000'000, 4) == 400);
    std::uint64_t completed = 0;
    for (int i = 0; i < 20; ++i) {
        size.observe(now, completed);
        now += 250ms;
        completed += 250'000;
    }
    CHECK(size.rate() > 0.99e6);
    CHECK(size.rate() < 1.01e6);
    const std::uint64_t group = size.next(now, 1'000'000'000, 4);
    CHECK(group > 250'000);
    CHECK(group < 350'000);
    CHECK_FALSE(size.is_low(group));
    CHECK(size.is_low(group / 10));
    CHECK(size.next(now, 1'000'000, 4) == 125'000);
    CHECK(size.next(now, 10, 4) < 60'000);
    CHECK(size.next(now, 0, 1000) >= 1);
}

TEST_CASE("the last groups are small for ranks that are slower than others, too") {
    GroupSize size(100);
    auto now = GroupSize::Clock::now();
    std::uint64_t completed = 0, taken = 0;
    for (int i = 0; i < 20; ++i) {
        size.observe(now, completed);
        size.saw_taken(now, taken);
        now += 250ms;
        completed += 25'000;  // 0.1 million a second
        taken += 1'000'000;   // of 4 million
    }
    CHECK(size.next(now - 250ms, 100'000'000, 4) == 30'000);
    const std::uint64_t late = size.next(now - 250ms, 1'600'000, 4);  // 0.4 s: half of it
    CHECK(late > 18'000);
    CHECK(late < 22'000);
    CHECK(size.next(now - 50ms, 1'600'000, 4) < late);
    CHECK(size.next(now + 1h, 1'600'000, 4) == 5'000);
}

TEST_CASE("what is left is cut by rate, without gaps") {
    std::mt19937 random(33);
    for (int round = 0; round < 500; ++round) {
        const std::uint64_t first = random(), count = std::uint64_t{random()} << (random() % 17);
        const Interval rest{first, first + count};
        std::vector<double> rates;
        for (unsigned i = 0; i < 1 + random() % 9; ++i) rates.push_back(random() % 4 == 0 ? 0 : 1.0 + random() % 1000);
        rates[random() % rates.size()] = 500;
        double all = 0;
        for (const double rate : rates) all += rate;
        const std::vector<Interval> pieces = cut_by_rate(rest, rates);
        REQUIRE(pieces.size() == rates.size());
        std::uint64_t next = rest.first;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            CHECK(pieces[i].first == next);
            next = pieces[i].end;
            REQUIRE(next >= pieces[i].first);
            const double wanted = static_cast<double>(count) * rates[i] / all;
            CHECK(std::abs(static_cast<double>(next - pieces[i].first) - wanted) < 2 + 1e-9 * wanted);
            if (rates[i] == 0) CHECK(next == pieces[i].first);
        }
        CHECK(next == rest.end);
    }
}

TEST_CASE("a rank is cut by an average, from when its devices have had enough work") {
    CutRate rate;
    auto now = CutRate::Clock::now();
    std::uint64_t completed = 0;
    for (int i = 0; i < 100; ++i) rate.observe(now += 10ms, 0);
    for (int i = 0; i < 20; ++i) rate.observe(now += 10ms, completed += 10);
    CHECK(rate.rate() == 0);
    for (int i = 0; i < 49; ++i) rate.observe(now += 10ms, completed += 1000);
    CHECK(rate.rate() == 0);
    for (int i = 0; i < 3; ++i) rate.observe(now += 10ms, completed += 1000);
    CHECK(rate.rate() > 97'000);
    CHECK(rate.rate() < 101'000);
}
