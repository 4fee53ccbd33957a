// Rounds of measurements with Google Benchmark: every row once per round, the rows in random order, so that a
// drifting clock or a busy neighbour meets all of them alike. What is compared afterwards are medians.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/options.hpp"

namespace gpuminer::bench {

/// Figures of one measurement by name ("hashes_per_second").
using Figures = std::map<std::string, double>;

struct Row {
    std::string name;
    std::function<Figures()> measure;  ///< one round: about a millisecond
};

struct Spread {
    double low = 0;  ///< 10 % of the rounds were below
    double median = 0;
    double high = 0;  ///< 10 % of the rounds were above
};
[[nodiscard]] Spread spread_of(std::vector<double> values);

/// Measures; the result has each row's figures over all rounds, without the rows that were filtered out.
/// Throws std::invalid_argument for options that Google Benchmark does not know.
[[nodiscard]] std::map<std::string, std::map<std::string, Spread>> measure_rows(const std::vector<Row>& rows,
                                                                                const Options& options);

/// Seconds of steady_clock that `work` takes.
[[nodiscard]] double seconds_of(const std::function<void()>& work);

/// How many units of work take about a millisecond; `work(n)` does n of them.
[[nodiscard]] std::uint64_t units_per_millisecond(std::uint64_t granularity,
                                                  const std::function<void(std::uint64_t)>& work);

}  // namespace gpuminer::bench
