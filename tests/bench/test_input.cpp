// Tests of the workload input. Every way brings the same bytes, and the clock that contains a wait shows all of it. No
// speed decides anything here.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/workloads/input.hpp"
#include "bench_setting.hpp"
#include "no_room.hpp"
#include "tests/catch.hpp"
#include "tests/waiting.hpp"

using namespace gpuminer;
using namespace gpuminer::bench;
using namespace gpuminer::test;

namespace {

using Clock = std::chrono::steady_clock;
using Hashed = std::span<const std::uint8_t>;

constexpr std::size_t kFewBytes = 300'000,
                      kManyBytes = 1'000'000;  // more than a pipe holds, and no whole number of pages

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

InputAmounts small_amounts() {
    InputAmounts amounts;
    amounts.few = kFewBytes;
    amounts.many = kManyBytes;
    amounts.delay = [] {};
    return amounts;
}

}  // namespace

TEST_CASE("input: a row for each way, and each hashes the same bytes") {
    BenchSetting bench;
    std::vector<std::uint8_t> bytes;  // the most that were hashed at once
    std::vector<std::size_t> sizes;
    InputAmounts amounts = small_amounts();
    amounts.hash = [&](Hashed hashed) {
        CHECK(std::equal(hashed.begin(), hashed.begin() + std::min(hashed.size(), bytes.size()), bytes.begin()));
        if (hashed.size() > bytes.size()) bytes.assign(hashed.begin(), hashed.end());
        sizes.push_back(hashed.size());
        return double_sha256_digest(hashed);
    };
    const Rows rows = input_rows(bench.setting, amounts);
    std::vector<std::string> names;
    for (const Row& row : rows.rows) {
        CHECK(row.unit == "ns per byte");
        CHECK(row.better == Better::kLower);
        for (int round = 0; round < 2; ++round) CHECK(row.measure(1) > 0);
        names.push_back(row.name);
        CHECK(row.details()["remark"].is_string());
        CHECK(row.details()["per_round"] == sizes.back());
        for (const Row::Part& part : row.parts) {
            CHECK(part.value() > 0);
            names.push_back(part.name);
        }
    }
    CHECK(names == std::vector<std::string>{"0.3 MB, byte by byte", "0.3 MB, getc", "0.3 MB, pipe", "0.3 MB, late pipe",
                                            "0.3 MB, late pipe, no wait", "0.3 MB, staged", "1 MB, in blocks",
                                            "1 MB, mapped", "1 MB, staged"});
    CHECK(std::count(sizes.begin(), sizes.end(), kFewBytes) == 2 * 5);
    CHECK(std::count(sizes.begin(), sizes.end(), kManyBytes) == 2 * 3);
    CHECK(std::count(bytes.begin(), bytes.end(), 0) < static_cast<std::ptrdiff_t>(kManyBytes / 100));
    CHECK(bench.notes.empty());
}

TEST_CASE("input: a wait for the writer is in the one figure, and not in the other") {
    BenchSetting bench;
    Clock::time_point wait_began, wait_ended;
    InputAmounts amounts = small_amounts();
    amounts.delay = [&] {
        wait_began = Clock::now();
        pass_time(5ms);
        wait_ended = Clock::now();
    };
    const Rows rows = input_rows(bench.setting, amounts);
    const Row& late = row_named(rows, "0.3 MB, late pipe");
    REQUIRE(late.parts.size() == 1);
    for (int round = 0; round < 3; ++round) {
        constexpr double kRounding = 1e-9;
        const double wrong = late.measure(1) * kFewBytes * 1e-9;
        const auto end = Clock::now();
        const double right = late.parts.front().value() * kFewBytes * 1e-9;
        CHECK(right > 0);
        CHECK(right <= seconds(end - wait_ended) + kRounding);
        CHECK(wrong - right >= seconds(wait_ended - wait_began) - kRounding);
    }
    CHECK(late.details()["factor"].get<double>() > 1);
}

TEST_CASE("input: each figure has the right one beside it") {
    BenchSetting bench;
    const Rows rows = input_rows(bench.setting, small_amounts());
    for (const Row& row : rows.rows) (void)row.measure(1);  // the warm-up, of which nothing is kept
    for (const Row& row : rows.rows) CHECK(row.details()["right_ns_per_byte"].is_null());
    const auto median_of_3 = [](const Row& row) {
        std::vector<double> values{row.measure(1), row.measure(1), row.measure(1)};
        std::sort(values.begin(), values.end());
        return values[1];
    };
    for (const std::string size : {"0.3 MB", "1 MB"}) {
        const Row& staged = row_named(rows, size + ", staged");
        const Row& other = row_named(rows, size + (size == "1 MB" ? ", mapped" : ", getc"));
        const double right = median_of_3(staged), figure = median_of_3(other);
        CHECK(staged.details()["factor"].is_null());
        CHECK(other.details()["right_ns_per_byte"].get<double>() == Approx(right));
        CHECK(other.details()["factor"].get<double>() == Approx(figure / right));
    }
}

TEST_CASE("input: a way that gives another hash fails the verification") {
    BenchSetting bench;
    InputAmounts amounts = small_amounts();
    amounts.hash = [](Hashed bytes) { return double_sha256_digest(bytes.first(bytes.size() - 1)); };
    const Rows rows = input_rows(bench.setting, amounts);
    CHECK(rows.rows.size() == 8);
    for (const Row& row : rows.rows) {
        CHECK_THROWS_WITH(row.measure(1), "input: " + row.name + " gives another hash than that of the bytes");
        CHECK_THROWS_AS(row.measure(1), VerificationError);
    }
}

TEST_CASE("input: once stopped no round begins") {
    BenchSetting bench;
    const Rows rows = input_rows(bench.setting, small_amounts());
    bench.stop.request_stop();
    for (const Row& row : rows.rows) CHECK_THROWS_AS(row.measure(1), Interrupted);
}

TEST_CASE("input: without room for the bytes there are no rows, and a reason") {
    BenchSetting bench;
    const NoRoom limit;
    CHECK(input_rows(bench.setting, small_amounts()).rows.empty());
    CHECK(bench.notes == std::vector<std::string>{"input is not measured: expected memory for a file: File too large"});
}
