#include "bench/workloads/timed_work.hpp"

#include <algorithm>

#include "bench/document/statistics.hpp"
#include "bench/workloads/timing.hpp"
#include "bench/workloads/workload.hpp"

namespace gpuminer::bench {

TimedWork::Timing TimedWork::time(double seconds) {
    const std::uint64_t units = units_of(seconds);
    return {units, seconds_of([&] { carry_out(units); })};
}

void TimedWork::warm_up(double round_seconds) {
    constexpr double kLongest = 5e-3;
    carry_out(units_of(std::min(round_seconds / 4, kLongest)));
}

void TimedWork::carry_out(std::uint64_t units) {
    constexpr double kPieceSeconds = 0.05;  // a long round is interrupted between two pieces
    const std::uint64_t piece = units_of(kPieceSeconds);
    while (units != 0) {
        if (stop_.stop_requested()) throw Interrupted{};
        const std::uint64_t now = std::min(units, piece);
        work_(now);
        units -= now;
    }
}

std::uint64_t TimedWork::units_of(double seconds) {
    if (seconds_per_unit_ == 0) {
        const std::uint64_t units = units_that_take(1e-3, granularity_, work_);
        seconds_per_unit_ = seconds_of([&] { work_(units); }) / static_cast<double>(units);
    }
    const std::uint64_t multiples = to_units(seconds / seconds_per_unit_ / static_cast<double>(granularity_));
    return std::max(multiples, std::uint64_t{1}) * granularity_;
}

void Figure::add(double value) {
    if (warm_) values_.push_back(value);
    warm_ = true;
}

std::optional<double> Figure::median() const {
    return values_.empty() ? std::nullopt : std::optional(bench::median(values_));
}

Json Figure::json() const { return values_.empty() ? Json(nullptr) : Json(bench::median(values_)); }

Json Figure::spread_json() const {
    if (values_.empty()) return nullptr;
    const Spread spread = spread_of(values_);
    return {{"p10", spread.low}, {"p90", spread.high}};
}

}  // namespace gpuminer::bench
