// Tests of the comparison of two documents of `gpuminer bench`.
#include "bench/document/compare.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/bench/bench_tools.hpp"
#include "tests/catch.hpp"

namespace gpuminer::bench {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::measurement;
using test::sample_document;

const std::vector<double> kRounds{100, 101, 99, 100.5, 99.5, 100.2};

std::vector<double> times(double factor) {
    std::vector<double> values = kRounds;
    for (double& value : values) value *= factor;
    return values;
}

Document document_of(std::vector<Measurement> measurements) {
    Document document = sample_document();
    document.measurements = std::move(measurements);
    return document;
}

/// One measurement whose values in B are so many times those in A.
Comparison comparison_of(Better better, double factor) {
    return compare(document_of({measurement("w", "m", "u", better, kRounds)}),
                   document_of({measurement("w", "m", "u", better, times(factor))}));
}

ComparisonVerdict verdict_of(Better better, double factor) {
    return comparison_of(better, factor).measurements.at(0).verdict;
}

/// The only sentence about what such a change makes different.
template <typename Change>
std::string difference_after(const Change& change) {
    Document changed = sample_document();
    change(changed);
    const std::vector<std::string> differences = differences_of(sample_document(), changed);
    REQUIRE(differences.size() == 1);
    return differences.front();
}

}  // namespace

TEST_CASE("of rates the higher is faster, of times the lower") {
    CHECK(verdict_of(Better::kHigher, 1.1) == ComparisonVerdict::kFaster);
    CHECK(verdict_of(Better::kHigher, 0.9) == ComparisonVerdict::kSlower);
    CHECK(verdict_of(Better::kLower, 1.1) == ComparisonVerdict::kSlower);
    CHECK(verdict_of(Better::kLower, 0.9) == ComparisonVerdict::kFaster);
    CHECK(verdict_of(Better::kHigher, 1.001) == ComparisonVerdict::kNoise);
    const Compared compared = comparison_of(Better::kLower, 1.25).measurements.at(0);
    CHECK(compared.ratio.estimate == Approx(1.25));
    CHECK(compared.performance.estimate == Approx(0.8));
    CHECK(compared.performance.low == Approx(1 / compared.ratio.high));
    CHECK(compared.performance.high == Approx(1 / compared.ratio.low));
    CHECK(compared.median_a.value() == Approx(100.1));
}

TEST_CASE("too few rounds tell nothing, none at all neither") {
    const auto few = compare(document_of({measurement("w", "m", "u", Better::kLower, {1, 2, 3})}),
                             document_of({measurement("w", "m", "u", Better::kLower, {9, 9, 9})}));
    CHECK(few.measurements.at(0).verdict == ComparisonVerdict::kCannotTell);
    const auto none = compare(document_of({measurement("w", "m", "hashes/s", Better::kHigher, {})}),
                              document_of({measurement("w", "m", "hashes/s", Better::kHigher, kRounds)}));
    CHECK(none.measurements.at(0).verdict == ComparisonVerdict::kCannotTell);
    CHECK_FALSE(none.measurements.at(0).median_a.has_value());
    CHECK_THAT(compare_text(none), ContainsSubstring("too few rounds"));
    CHECK(to_json(none)["measurements"][0]["median_a"].is_null());
    CHECK(to_json(none)["measurements"][0]["ratio"]["high"].is_null());
}

TEST_CASE("only a loss beyond noise and below the limit fails") {
    const auto failed = [](Better better, double factor, double percent) {
        return !fails_below(comparison_of(better, factor), percent).empty();
    };
    CHECK(failed(Better::kHigher, 0.9, 95));
    CHECK_FALSE(failed(Better::kHigher, 0.9, 85));
    CHECK(failed(Better::kLower, 1.2, 95));
    CHECK_FALSE(failed(Better::kLower, 0.8, 95));
    CHECK_FALSE(failed(Better::kHigher, 0.999, 100));  // noise
    CHECK_FALSE(failed(Better::kHigher, 1.1, 120));    // faster is not slower
}

TEST_CASE("equal documents have no differences, whatever the load and the exact clock") {
    CHECK(differences_of(sample_document(), sample_document()).empty());
    Document later = sample_document();
    later.machine["load"] = 1.5;
    later.machine["tsc_hz"] = 3.0001e9;
    later.time = "2027-01-01T00:00:00Z";
    later.command = "gpuminer bench --json b.json";
    CHECK(differences_of(sample_document(), later).empty());
}

TEST_CASE("what is not like for like is named") {
    CHECK(difference_after([](Document& b) { b.machine["cpu"] = "Other"; }) ==
          "machine, cpu: 'Some CPU' in A, 'Other' in B");
    CHECK(difference_after([](Document& b) { b.machine["microcode"] = "0x2"; }) ==
          "machine, microcode: '0x1' in A, '0x2' in B");
    CHECK(difference_after([](Document& b) { b.machine["governor"] = "powersave"; }) ==
          "machine, governor: unknown in A, 'powersave' in B");
    CHECK(difference_after([](Document& b) { b.machine.erase("turbo"); }) == "machine, turbo: true in A, unknown in B");
    CHECK(difference_after([](Document& b) { b.machine["tsc_hz"] = 3.1e9; }) ==
          "machine, tsc hz: 3000000000.0 in A, 3100000000.0 in B");
    CHECK(difference_after([](Document& b) {
              b.machine["cpu_flags"] = {"avx2", "sse"};
          }) == "machine, cpu flags: only in A: bmi2; only in B: sse");
    CHECK(difference_after([](Document& b) { b.program["commit"] = "def"; }) ==
          "program, commit: 'abc123' in A, 'def' in B");
    CHECK(difference_after([](Document& b) { b.program["flags"] = std::string(100, 'x'); }) ==
          "program, flags: '-O3' in A, '" + std::string(59, 'x') + "…' in B");
    CHECK(difference_after([](Document& b) { b.job["scan"]["target"] = "00"; }) ==
          "job of scan, target: 'ff' in A, '00' in B");
    CHECK(difference_after([](Document& b) { b.devices[0]["driver"] = "2.0"; }) ==
          "device opencl:gpu#0, driver: '1.0' in A, '2.0' in B");
    CHECK(difference_after([](Document& b) { b.devices.clear(); }) == "device opencl:gpu#0, only in A");
    CHECK(difference_after([](Document& b) { b.ending = "interrupted"; }) == "B was interrupted: rounds are missing");
    CHECK(difference_after([](Document& b) { b.warnings = {"others were busy"}; }) == "B: others were busy");
}

TEST_CASE("cycles and ticks are not alike") {
    const auto counting = [](const char* unit) {
        Document document = sample_document();
        document.machine["cycle_unit"] = unit;
        return document;
    };
    CHECK(differences_of(sample_document(), counting("reference cycles")).empty());  // the field is younger
    CHECK(differences_of(sample_document(), counting("timer ticks")) ==
          std::vector<std::string>{"machine, cycle unit: 'reference cycles' in A, 'timer ticks' in B"});
}

TEST_CASE("workloads that one side did not run have no job to differ") {
    Document other = sample_document();
    other.job = {{"os", {{"threads", 100}}}};
    CHECK(differences_of(sample_document(), other).empty());
    CHECK(differences_of(other, sample_document()).empty());
}

TEST_CASE("devices that all differ in something of their own take no more time each") {
    Document a = sample_document();
    Document b = a;
    for (int device = 0; device < 2000; ++device) {
        for (Document* document : {&a, &b}) {
            Json facts{{"name", std::to_string(device)}};
            for (int fact = 0; fact < 40; ++fact)
                facts[std::to_string(fact)] = std::to_string(device) + (document == &a ? "a" : "b");
            document->devices.push_back(std::move(facts));
        }
    }
    CHECK(differences_of(a, b).size() == 80'000);  // a search through those so far, for each, took minutes
}

TEST_CASE("what many devices share is one sentence") {
    Document a = sample_document();
    Document b = sample_document();
    for (int i = 0; i < 64; ++i) {
        Json thread{{"name", "cpu:avx2#" + std::to_string(i)}, {"model", "m"}};
        a.devices.push_back(thread);
        thread["model"] = "n";
        b.devices.push_back(thread);
    }
    CHECK(differences_of(a, b) == std::vector<std::string>{"device cpu:avx2#0 and 63 more, model: 'm' in A, 'n' in B"});
}

TEST_CASE("a measurement in another unit is named and not compared") {
    const Comparison comparison = compare(document_of({measurement("w", "m", "ns", Better::kLower, kRounds)}),
                                          document_of({measurement("w", "m", "µs", Better::kLower, kRounds)}));
    CHECK(comparison.measurements.empty());
    CHECK(comparison.differences ==
          std::vector<std::string>{"w: m is in ns (less is better) in A, in µs (less) in B: not compared"});
    CHECK_THAT(compare_text(comparison), ContainsSubstring("no measurement in common"));
}

TEST_CASE("measurements of one side only are listed") {
    const Comparison comparison = compare(document_of({measurement("w", "one", "u", Better::kLower, kRounds)}),
                                          document_of({measurement("w", "two", "u", Better::kLower, kRounds)}));
    CHECK(comparison.only_in_a == std::vector<std::string>{"w: one"});
    CHECK(comparison.only_in_b == std::vector<std::string>{"w: two"});
    CHECK_THAT(compare_text(comparison), ContainsSubstring("Only in B\n  w: two\n"));
}

TEST_CASE("a failed verification is named in every form") {
    Document bad = sample_document();
    bad.failures = {"a nonce is missing"};
    bad.ending = "failed";
    const Comparison comparison = compare(sample_document(), bad, "a.json", "b.json");
    const std::string alarm = "b.json is not verified, its figures mean nothing: a nonce is missing";
    CHECK(comparison.alarms == std::vector<std::string>{alarm});
    CHECK_THAT(compare_text(comparison), ContainsSubstring("WARNING: " + alarm + "\n"));
    CHECK_THAT(compare_markdown(comparison), ContainsSubstring("**WARNING:** " + alarm + "\n"));
    CHECK(Json::parse(compare_json({comparison}))["alarms"][0] == alarm);
    bad.failures.clear();
    CHECK_THAT(compare(bad, bad).alarms.at(1), ContainsSubstring("B is of a run that could not go on"));
}

TEST_CASE("a user's table has no interval where there is no room") {
    const std::string name = "127 CPU threads new job, last device";
    const Document document = document_of({measurement("latency", name, "ms per new job", Better::kLower, kRounds),
                                           measurement("latency", "stop", "ms per stop", Better::kLower, kRounds)});
    CHECK_THAT(compare_text(compare(document, document), kUnlimitedColumns, false),
               ContainsSubstring("\nlatency, less is better\n") && ContainsSubstring("  ms  1.000    noise\n"));
}

TEST_CASE("a comparison as text, Markdown and JSON") {
    const Document a = document_of({measurement("scan", "a|b", "hashes/s", Better::kHigher, times(1e5))});
    Document b = document_of({measurement("scan", "a|b", "hashes/s", Better::kHigher, times(1.1e5))});
    b.machine["governor"] = "caf\xe9";
    const Comparison comparison = compare(a, b, "a.json", "b.json");
    const std::string text = compare_text(comparison);
    CHECK_THAT(text, ContainsSubstring(
                         "A is a.json: gpuminer 0.1.0 (commit abc123), Linux 6.1, Some CPU, 2026-11-21T20:39:06Z\n"));
    CHECK_THAT(text, ContainsSubstring("Not like for like\n  machine, governor: unknown in A, 'caf\ufffd' in B\n"));
    CHECK_THAT(text,
               ContainsSubstring("\nscan\n         A      B  unit    B/A         (95 %)  better           verdict\n"
                                 "a|b  10.01  11.01  MH/s  1.100  (1.089–1.111)    more  faster by 10.0 %\n"));
    CHECK_THAT(compare_text(comparison, kUnlimitedColumns, false),
               ContainsSubstring("\nscan, MH/s, more is better\n         A      B    B/A         (95 %)  verdict\n"
                                 "a|b  10.01  11.01  1.100  (1.089–1.111)   faster\n"));
    CHECK_THAT(compare_markdown(comparison), ContainsSubstring("| a\\|b | 10.01 | 11.01 | MH/s | 1.100 |"));
    const Json json = Json::parse(compare_json({comparison}));
    CHECK(json["format"] == "gpuminer compare");
    CHECK(json["measurements"][0]["verdict"] == "faster");
    CHECK(json["measurements"][0]["performance"]["estimate"].get<double>() == Approx(1.1));
}

TEST_CASE("several documents stand side by side, with the system of each") {
    const auto document_by = [](const char* system, const std::vector<Measurement>& measurements) {
        Document document = document_of(measurements);
        document.machine["system"] = system;
        return document;
    };
    const auto files = [](double microseconds) {
        return measurement("os", "create file", "µs per file", Better::kLower, times(microseconds));
    };
    const auto threads = measurement("os", "create thread", "µs per thread", Better::kLower, times(7));
    const Document a = document_by("Linux 6.1", {files(10), threads});
    const std::vector<Comparison> comparisons = {
        compare(a, document_by("Windows 10.0.19045", {files(200)}), "a.json", "b.json"),
        compare(a, document_by("Linux 5.10", {files(12), threads}), "a.json", "c.json")};
    const std::string text = side_by_side_text(comparisons);
    for (const char* const line :
         {"1: a.json, gpuminer 0.1.0 (commit abc123), Linux 6.1, Some CPU", "\n2: b.json, gpuminer 0.1.0",
          " Windows 10.0.19045, ", "\n3: c.json, gpuminer", " Linux 5.10, ", "\nos, medians side by side\n"})
        CHECK_THAT(text, ContainsSubstring(line));
    CHECK_THAT(text, !ContainsSubstring("left out") && !ContainsSubstring("WARNING"));
    Document failed = document_by("Linux 5.10", {files(12), measurement("os", "more", "s", Better::kLower, times(1))});
    failed.failures = {"a nonce is missing"};
    const std::string with_failed = side_by_side_text({comparisons.front(), compare(a, failed, "a.json", "d.json")});
    CHECK_THAT(with_failed, ContainsSubstring("WARNING: d.json is not verified"));
    CHECK_THAT(with_failed, ContainsSubstring("What 1 has not measured is left out here.\n"));
    const std::string markdown = side_by_side_markdown(comparisons);
    CHECK_THAT(markdown, ContainsSubstring("|  | 1 | 2 | 3 | unit |"));
    CHECK_THAT(markdown, ContainsSubstring("| create file | 1,001 | 20,020 | 1,201 | µs per file |"));
    CHECK_THAT(markdown, ContainsSubstring("| create thread | 700.7 | – | 700.7 | µs per thread |"));
}

TEST_CASE("a table of comparisons names no folder") {
    const Document document = sample_document();
    const auto lines_of = [&](const std::vector<std::string>& others) {
        std::vector<Comparison> comparisons;
        for (const std::string& other : others)
            comparisons.push_back(compare(document, document, "/home/alice/old.json", other));
        return compare_csv(comparisons);
    };
    CHECK_THAT(lines_of({"new.json"}), ContainsSubstring("\nold.json,new.json,"));
    const std::string two = lines_of({"../alice/old.json", "new.json"});
    CHECK_THAT(two, ContainsSubstring("\nA,B,") && ContainsSubstring("\nA,C,"));
    CHECK_THAT(two, !ContainsSubstring("alice") && !ContainsSubstring("old.json"));
}

}  // namespace gpuminer::bench
