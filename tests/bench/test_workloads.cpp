// Tests of the workloads of this CPU's own code: kernel, ladder, sha256d64. They notice code that computes wrong
// results, and their figures are those of their rounds. No speed decides anything here.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <set>

#include "bench/workloads/cpu_workloads.hpp"
#include "bench/workloads/test_block.hpp"
#include "bench/workloads/timed_work.hpp"
#include "bench_setting.hpp"
#include "cpu/batch/sha256d64.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "host/block/checker.hpp"
#include "tests/catch.hpp"
#include "verushash/algorithm.hpp"

using namespace gpuminer;
using namespace gpuminer::bench;
using gpuminer::test::BenchSetting;
using gpuminer::test::row_named;

namespace {

constexpr double kShort = 2e-5;  // seconds of a round

/// The warm-up and `count` rounds; the values of the latter.
std::vector<double> take_rounds(const Row& row, int count) {
    (void)row.measure(kShort);
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(row.measure(kShort));
    return values;
}

/// Of an odd number of values.
double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Kernels of the search that go wrong, each in its own way.
void scan_without_last(cpu::ScanArguments& arguments) {
    cpu::scan_scalar(arguments);
    if (arguments.found != 0) --arguments.found;
}
void scan_with_one_too_many(cpu::ScanArguments& arguments) {
    cpu::scan_scalar(arguments);
    if (arguments.found < arguments.capacity) arguments.candidates[arguments.found++] = {0, 12345};
}
void scan_of_own_version_only(cpu::ScanArguments& arguments) {
    cpu::scan_scalar(arguments);
    const auto* const end = std::remove_if(arguments.candidates, arguments.candidates + arguments.found,
                                           [](const Candidate& candidate) { return candidate.version_index != 0; });
    arguments.found = static_cast<std::size_t>(end - arguments.candidates);
}
cpu::Isa isa_with(cpu::ScanFunction scan) { return {"scalar", "", scan, nullptr, ""}; }

Rung rung(const std::string& name, const std::string& compared_to, int missing = 0) {
    return {name, "", compared_to, 1,
            [missing](const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
                if (target == Hash256{}) return;
                const std::vector<std::uint32_t> right = expected_nonces();
                hits.assign(right.begin(), right.end() - missing);
                (void)range;
            }};
}

std::atomic<bool> wrong_from_now{false};
void hash_wrong_at_times(std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    sha256d64(out, in, count);
    if (wrong_from_now && count != 0) out[32 * count - 1] ^= 1;
}
void hash_wrong_for_17(std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    sha256d64(out, in, count);
    if (count == 17) out[32 * 16] ^= 0x80;
}
void hash_groups_wrong(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    cpu::sha256d64_scalar(out, in, groups);
    if (groups > 1000) std::swap_ranges(out, out + 32, out + 32 * (groups - 1));
}

}  // namespace

TEST_CASE("block 100000's known nonce is among those that a right search finds, and each of them passes") {
    for (const unsigned version_index : {0u, 3u, 15u}) {
        const BlockHeader header = block_100000().with_version(versions_of_block(16)[version_index]);
        const std::vector<std::uint32_t> nonces = expected_nonces(version_index);
        CHECK(std::count(nonces.begin(), nonces.end(), 274148111u) == (version_index == 0 ? 1 : 0));
        CHECK(std::set<std::uint32_t>(nonces.begin(), nonces.end()).size() == nonces.size());
        for (const std::uint32_t nonce : nonces)
            CHECK(double_sha256(header.with_nonce(nonce).bytes).hex().substr(0, 2) == "00");
    }
}

TEST_CASE("kernel: every instruction set of this CPU has rows, and their figures are those of the rounds") {
    BenchSetting bench;
    const Rows rows = kernel_rows(bench.setting, cpu::isas());
    std::size_t usable = 0;
    for (const cpu::Isa& isa : cpu::isas()) usable += cpu::usable(isa, cpu::detect_features()) ? 1 : 0;
    CHECK(rows.rows.size() == 4 * usable);
    CHECK(bench.notes.size() == cpu::isas().size() - usable);

    for (const Row& row : rows.rows) {
        INFO(row.name);
        CHECK(row.unit == "hashes/s");
        CHECK(row.better == Better::kHigher);
        (void)row.measure(kShort);
        CHECK(row.details()["cycles_per_hash"].is_null());  // of the warm-up nothing is kept
        const std::vector<double> values = take_rounds(row, 3);
        CHECK(*std::min_element(values.begin(), values.end()) > 0);
        const Json details = row.details();
        if (have_cycle_counter()) CHECK(details["cycles_per_hash"].get<double>() > 0);
        const bool limited = details["isa"] != "scalar";
        CHECK(details["operations_per_hash"].is_number() == limited);
        CHECK(details["share_of_limit"].is_number() == limited);
        if (details["isa"] == "shani") CHECK(details["operations_per_hash"] == 61);
        if (details["isa"] == "sha2") CHECK(details["operations_per_hash"] == 61);
    }
}

TEST_CASE("kernel: one that does not find exactly the hits that OpenSSL finds fails the verification") {
    BenchSetting bench;
    for (const auto scan : {scan_without_last, scan_with_one_too_many, scan_of_own_version_only}) {
        const cpu::Isa wrong = isa_with(scan);
        CHECK_THROWS_AS(kernel_rows(bench.setting, std::span(&wrong, 1)), VerificationError);
    }
    cpu::Isa other_ran = isa_with(cpu::scan_scalar);
    other_ran.name = "another";
    CHECK_THROWS_AS(kernel_rows(bench.setting, std::span(&other_ran, 1)), VerificationError);
    const cpu::Isa right = isa_with(cpu::scan_scalar);
    CHECK(kernel_rows(bench.setting, std::span(&right, 1)).rows.size() == 4);
}

TEST_CASE("what a CPU lacks is left out with the reason") {
    BenchSetting bench;
    CHECK(kernel_rows(bench.setting, cpu::isas(), cpu::Features{}).rows.size() == 4);
    CHECK(sha256d64_rows(bench.setting, sha256d64, cpu::batch_kernels(), cpu::Features{}).rows.size() == 36 + 1);
    REQUIRE(bench.notes.size() == cpu::isas().size() - 1 + cpu::batch_kernels().size() - 1);
    const cpu::Isa& second = cpu::isas()[1];  // the first needs nothing
    CHECK(bench.notes.front() == std::string("kernel: ") + second.name + " is not measured: " + second.missing);
    const cpu::BatchKernel& widest = cpu::batch_kernels().back();
    CHECK(bench.notes.back().find("sha256d64: " + std::string(widest.isa) + ":" + std::to_string(widest.width) +
                                  " is not measured:") == 0);
}

TEST_CASE("work that takes no time has rounds, too") {
    TimedWork work({}, 16, [](std::uint64_t) {});
    work.warm_up(1e-4);
    CHECK(work.time(1e-4).units % 16 == 0);
}

TEST_CASE("ladder: a gain is the ratio of medians over the rounds") {
    BenchSetting bench;
    const Rows rows = ladder_rows(bench.setting, {rung("first", ""), rung("second", "first"), rung("third", "second"),
                                                  rung("beside", "nowhere")});
    std::vector<double> medians;
    for (const Row& row : rows.rows) medians.push_back(middle(take_rounds(row, 5)));
    const auto detail = [&](const char* name, const char* figure) { return row_named(rows, name).details()[figure]; };
    CHECK(detail("first", "gain").is_null());
    CHECK_FALSE(row_named(rows, "first").details().contains("compared_to"));
    CHECK(detail("first", "gain_in_all") == 1);
    CHECK(detail("second", "gain") == Approx(medians[1] / medians[0]));
    CHECK(detail("third", "gain") == Approx(medians[2] / medians[1]));
    CHECK(detail("third", "gain_in_all") == Approx(medians[2] / medians[0]));
    CHECK(detail("third", "compared_to") == "second");
    CHECK(detail("beside", "gain").is_null());
    CHECK(detail("beside", "gain_in_all") == Approx(medians[3] / medians[0]));
}

TEST_CASE("ladder: a step that misses a hit fails the verification") {
    BenchSetting bench;
    CHECK_THROWS_AS(ladder_rows(bench.setting, {rung("first", ""), rung("second", "first", 1)}), VerificationError);
}

TEST_CASE("ladder: the steps of this CPU all find the block") {
    BenchSetting bench;
    const auto workload = std::find_if(workloads().begin(), workloads().end(),
                                       [](const Workload& w) { return w.name == std::string("ladder"); });
    REQUIRE(workload != workloads().end());
    const Rows rows = workload->prepare(bench.setting);
    for (const char* const name : {"naive", "midstate", "early rounds", "constant schedule", "early exit", "generated",
                                   "version rolling", "OpenSSL (beside)"})
        CHECK(row_named(rows, name).unit == "hashes/s");
}

TEST_CASE("ladder of VerusHash: the steps all find what the portable form finds") {
    BenchSetting bench;
    const auto workload = std::find_if(workloads().begin(), workloads().end(),
                                       [](const Workload& w) { return w.algorithm == &kVerusHash; });
    REQUIRE(workload != workloads().end());
    const Rows rows = workload->prepare(bench.setting);
    if (rows.rows.empty()) {
        REQUIRE(bench.notes.size() == 1);
        CHECK(bench.notes[0].find("ladder is not measured: ") == 0);
        std::cout << "SKIPPED: " << bench.notes[0] << '\n';
        return;
    }
    std::string before;
    for (const char* const name : {"naive", "header once", "key once", "key restored", "interleaved"}) {
        const Row& row = row_named(rows, name);
        CHECK(row.unit == "hashes/s");
        CHECK(middle(take_rounds(row, 3)) > 0);
        if (!before.empty()) CHECK(row.details()["compared_to"] == before);
        before = name;
    }
}

TEST_CASE("sha256d64: the figures are those of the rounds") {
    BenchSetting bench;
    const Rows rows = sha256d64_rows(bench.setting, sha256d64, cpu::batch_kernels());
    const Row& row = row_named(rows, "batch 17");
    CHECK(row.unit == "ns per 64-byte input");
    CHECK(row.better == Better::kLower);
    const std::vector<double> values = take_rounds(row, 5);
    const Json details = row.details();
    CHECK(details["inputs"] == 17);
    CHECK(details["inputs_per_second"].get<double>() == Approx(1e9 / middle(values)));
    CHECK(details["nanoseconds_one_at_a_time"].get<double>() > 0);
    CHECK(details["gain"].get<double>() > 0);

    const Row& scalar = row_named(rows, "kernel scalar:1");
    const double nanoseconds = middle(take_rounds(scalar, 3));
    CHECK(scalar.details()["inputs_per_second"].get<double>() == Approx(1e9 / nanoseconds));
    CHECK(scalar.details()["share_of_limit"].is_null());
    CHECK(rows.rows.size() + bench.notes.size() == 36 + cpu::batch_kernels().size());
    for (const std::size_t size : {1, 2, 65, 65536}) CHECK_NOTHROW(row_named(rows, "batch " + std::to_string(size)));
}

TEST_CASE("sha256d64: a wrong hash fails the verification, at the beginning and in each round") {
    BenchSetting bench;
    CHECK_THROWS_AS(sha256d64_rows(bench.setting, hash_wrong_for_17, cpu::batch_kernels()), VerificationError);
    const cpu::BatchKernel wrong{"scalar", 1, hash_groups_wrong, nullptr, ""};
    CHECK_THROWS_AS(sha256d64_rows(bench.setting, sha256d64, std::span(&wrong, 1)), VerificationError);

    wrong_from_now = false;
    const Rows rows = sha256d64_rows(bench.setting, hash_wrong_at_times, {});
    for (const char* const name : {"batch 1", "batch 33"}) CHECK(row_named(rows, name).measure(kShort) > 0);
    wrong_from_now = true;
    for (const char* const name : {"batch 1", "batch 33"})
        CHECK_THROWS_AS(row_named(rows, name).measure(kShort), VerificationError);
}

TEST_CASE("a round is work of the granularity asked for, and ends when the user stops the run") {
    std::stop_source stop;
    std::uint64_t done = 0;
    bool stop_now = false;
    TimedWork work(stop.get_token(), 16, [&](std::uint64_t units) {
        CHECK(units % 16 == 0);
        CHECK_FALSE(stop.stop_requested());
        done += units;
        const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(units * 1000);
        while (std::chrono::steady_clock::now() < end) {
        }
        if (stop_now) stop.request_stop();
    });
    work.warm_up(1e-4);
    const std::uint64_t before = done;
    const TimedWork::Timing timing = work.time(1e-4);
    CHECK(timing.units == done - before);
    CHECK(timing.seconds > 0);
    stop_now = true;
    CHECK_THROWS_AS(work.time(1e6), Interrupted);  // instead of returning in eleven days
}
