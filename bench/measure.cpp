#include "bench/measure.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace gpuminer::bench {
namespace {

/// Keeps what it is told instead of printing it.
class Collector : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            for (const auto& [figure, counter] : run.counters)
                values[run.run_name.function_name][figure].push_back(counter.value);
        }
    }

    std::map<std::string, std::map<std::string, std::vector<double>>> values;
};

void initialize(const Options& options) {
    std::vector<std::string> words = {"benchmark", "--benchmark_enable_random_interleaving=true",
                                      options.quick ? "--benchmark_repetitions=3" : "--benchmark_repetitions=301"};
    words.insert(words.end(), options.others.begin(), options.others.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    int argc = static_cast<int>(argv.size());
    benchmark::Initialize(&argc, argv.data());
    if (argc > 1) throw std::invalid_argument("unknown option " + std::string(argv[1]) + "; see --help");
}

}  // namespace

Spread spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto at = [&](double part) {
        return values[static_cast<std::size_t>(std::lround(part * static_cast<double>(values.size() - 1)))];
    };
    return {at(0.1), at(0.5), at(0.9)};
}

std::map<std::string, std::map<std::string, Spread>> measure_rows(const std::vector<Row>& rows,
                                                                  const Options& options) {
    initialize(options);
    for (const Row& row : rows) {
        benchmark::RegisterBenchmark(row.name.c_str(), [&row](benchmark::State& state) {
            for (auto _ : state) {
                for (const auto& [name, value] : row.measure()) state.counters[name] = value;
            }
        })->Iterations(1);
    }
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);
    std::map<std::string, std::map<std::string, Spread>> spreads;
    for (const auto& [row, figures] : collector.values) {
        for (const auto& [figure, values] : figures) spreads[row][figure] = spread_of(values);
    }
    return spreads;
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint64_t units_per_millisecond(std::uint64_t granularity, const std::function<void(std::uint64_t)>& work) {
    std::uint64_t units = granularity;
    work(units);  // the first call is slow: page faults, cold caches
    while (seconds_of([&] { work(units); }) < 0.5e-3) units *= 2;
    const double seconds = std::min(
        {seconds_of([&] { work(units); }), seconds_of([&] { work(units); }), seconds_of([&] { work(units); })});
    const auto wanted = static_cast<std::uint64_t>(1e-3 * static_cast<double>(units) / seconds);
    return std::max(wanted / granularity, std::uint64_t{1}) * granularity;
}

}  // namespace gpuminer::bench
