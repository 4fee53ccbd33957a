// Documents and rounds for tests of the statistics and reports of `gpuminer bench`.
#pragma once

#include <string>
#include <vector>

#include "bench/document/document.hpp"

namespace gpuminer::test {

/// One a second.
inline std::vector<bench::Round> rounds_of(const std::vector<double>& values) {
    std::vector<bench::Round> rounds;
    for (const double value : values) rounds.push_back({static_cast<double>(rounds.size()), value});
    return rounds;
}

inline bench::Measurement measurement(const std::string& workload, const std::string& name, const std::string& unit,
                                      bench::Better better, const std::vector<double>& values) {
    return {workload, name, unit, better, rounds_of(values), bench::Json::object()};
}

/// Complete, verified, with one measurement of a rate and one of a time.
inline bench::Document sample_document() {
    bench::Document document;
    document.program = {{"version", "0.1.0"}, {"commit", "abc123"}, {"compiler", "GNU 12.2.0"}, {"flags", "-O3"}};
    document.machine = {
        {"cpu", "Some CPU"}, {"microcode", "0x1"}, {"governor", nullptr},   {"tsc_hz", 3.0e9},
        {"load", 0.5},       {"turbo", true},      {"system", "Linux 6.1"}, {"cpu_flags", {"avx2", "bmi2"}}};
    document.devices.push_back({{"name", "opencl:gpu#0"}, {"backend", "opencl"}, {"model", "A|B"}, {"driver", "1.0"}});
    document.job = {{"scan", {{"header", "0100"}, {"target", "ff"}}}};
    document.command = "gpuminer bench scan os";
    document.time = "2026-11-21T20:39:06Z";
    document.seconds = 12.5;
    document.measurements = {
        measurement("scan", "cpu:avx2#0 fixed", "hashes/s", bench::Better::kHigher, {11.5e6, 11.7e6, 11.6e6, 11.6e6}),
        measurement("os", "create thread", "µs per thread", bench::Better::kLower, {9.1, 9.3, 9.2, 9.2})};
    document.measurements.front().details = {{"cycles_per_hash", 256.25},
                                             {"share_of_limit", 0.9489},
                                             {"joules_per_gh", nullptr},
                                             {"setup", "warm"},
                                             {"isa", "avx2"},
                                             {"remark", "the clock was not steady"}};
    return document;
}

}  // namespace gpuminer::test
