// Timing with steady_clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

#include "host/threads.hpp"

namespace gpuminer::bench {

/// Seconds that `work` takes.
[[nodiscard]] inline double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return seconds_since(start);
}

/// No round has more units: a limit for work that takes hardly any time, however many units it is told to do.
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 52;

/// A number of units, at most kMostUnits, from a quotient that is infinite where the clock saw no time pass.
[[nodiscard]] inline std::uint64_t to_units(double quotient) {
    return static_cast<std::uint64_t>(std::min(quotient, static_cast<double>(kMostUnits)));
}

/// How many units of work take about so many seconds; `work(n)` does n of them.
[[nodiscard]] inline std::uint64_t units_that_take(double seconds, std::uint64_t granularity,
                                                   const std::function<void(std::uint64_t)>& work) {
    std::uint64_t units = granularity;
    work(units);  // the first call is slow: page faults, cold caches
    while (units < kMostUnits && seconds_of([&] { work(units); }) < seconds / 2) units *= 2;
    const double taken = std::min(
        {seconds_of([&] { work(units); }), seconds_of([&] { work(units); }), seconds_of([&] { work(units); })});
    const std::uint64_t wanted = to_units(seconds * static_cast<double>(units) / taken);
    return std::max(wanted / granularity, std::uint64_t{1}) * granularity;
}

}  // namespace gpuminer::bench
