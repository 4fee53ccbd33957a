// Statistics of rounds.
#include "bench/document/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace gpuminer::bench {
namespace {

constexpr double kNormal95 = 1.959964;            ///< standard deviations that hold 95 % of a normal distribution
constexpr double kSigmaOfMovingRange = 0.953873;  ///< median of |x - y|, x and y normal with standard deviation 1
constexpr double kErrorOfMedian = 1.253314;       ///< standard error of a median over that of a mean
constexpr double kLongestWindow = 60;             ///< seconds
constexpr std::size_t kFewestRounds = 4;          ///< a side, for a 95 % interval
constexpr std::size_t kMostBlocks = 12;           ///< a side

/// A zero (a device that stood still), a negative or an enormous figure must not become an infinite logarithm.
double log_of(double value) {
    constexpr double kLeast = 1e-100;
    return std::log(std::clamp(value, kLeast, 1 / kLeast));
}

/// In at most kMostBlocks blocks of neighbours, the median of each: what disturbs one round lasts longer than a short
/// round, so that neighbours are alike, and only blocks may count as independent of each other.
std::vector<double> logs_of(const std::vector<Round>& rounds) {
    const std::size_t blocks = std::min(rounds.size(), kMostBlocks);
    std::vector<double> logs;
    for (std::size_t block = 0; block < blocks; ++block) {
        std::vector<double> values;
        for (std::size_t i = rounds.size() * block / blocks; i < rounds.size() * (block + 1) / blocks; ++i)
            values.push_back(log_of(rounds[i].value));
        logs.push_back(median(values));
    }
    return logs;
}

/// Of all pairs, sorted.
std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> all;
    all.reserve(a.size() * b.size());
    for (const double y : b) {
        for (const double x : a) all.push_back(y - x);
    }
    std::sort(all.begin(), all.end());
    return all;
}

/// The distribution of Mann and Whitney's U, if both samples come from one distribution: element u is the number of
/// ways to choose the ranks of a sample of `m` out of m + n so that U = u. (A sample of j whose lowest ranks are taken
/// has U = 0; each rank that it stands higher adds 1.)
std::vector<double> ways_of_u(std::size_t m, std::size_t n) {
    std::vector<std::vector<double>> ways(m + 1, std::vector<double>(m * n + 1, 0));  // by size of the sample
    ways[0][0] = 1;
    for (std::size_t rank = 0; rank < m + n; ++rank) {
        for (std::size_t size = std::min(m, rank + 1); size > 0; --size) {
            const std::size_t gain = rank - (size - 1);  // the ranks below that are not in the sample
            for (std::size_t u = gain; u <= m * n; ++u) ways[size][u] += ways[size - 1][u - gain];
        }
    }
    return ways[m];
}

/// The largest k such that the k-th lowest and the k-th highest difference of pairs enclose a shift of distribution
/// with at least 95 % probability; 0 where there is none.
std::size_t rank_of_bound(std::size_t m, std::size_t n) {
    constexpr double kTail = 0.025;
    const std::vector<double> ways = ways_of_u(m, n);
    double total = 0;
    for (const double count : ways) total += count;
    std::size_t rank = 0;
    for (double below = ways[0]; below <= kTail * total; below += ways.at(rank)) ++rank;
    return rank;
}

/// Rounds of those two windows.
std::pair<std::vector<double>, std::vector<double>> ends_of(const std::vector<Round>& rounds, double window) {
    const auto [first, last] =
        std::minmax_element(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) { return a.at < b.at; });
    std::pair<std::vector<double>, std::vector<double>> ends;
    for (const Round& round : rounds) {
        if (round.at <= first->at + window) ends.first.push_back(round.value);
        if (round.at >= last->at - window) ends.second.push_back(round.value);
    }
    return ends;
}

double drift_window(const std::vector<Round>& rounds) {
    const auto [first, last] =
        std::minmax_element(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) { return a.at < b.at; });
    return std::min(kLongestWindow, (last->at - first->at) / 3);
}

/// How far the logarithm drifts within a run, as far as independent rounds that spread like these would not (in 95 of
/// 100 runs). Their spread is taken from neighbours, which a drift moves alike: the median moving range of control
/// charts.
double unexplained_drift(const std::vector<Round>& rounds) {
    std::vector<double> moves;
    for (std::size_t i = 1; i < rounds.size(); ++i) {
        moves.push_back(std::abs(log_of(rounds[i].value) - log_of(rounds[i - 1].value)));
    }
    const double sigma = median(moves) / kSigmaOfMovingRange;
    const auto [first, last] = ends_of(rounds, drift_window(rounds));
    const double error = kErrorOfMedian * sigma *
                         std::sqrt(1 / static_cast<double>(first.size()) + 1 / static_cast<double>(last.size()));
    const double drift = std::abs(log_of(median(last)) - log_of(median(first)));
    return std::max(0.0, drift - kNormal95 * error);
}

}  // namespace

double quantile(std::vector<double> values, double share) {
    assert(!values.empty());
    const auto rank = std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1));
    const auto at = std::next(values.begin(), rank);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

double median(const std::vector<double>& values) {
    assert(!values.empty());
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2;  // halves cannot overflow
}

Spread spread_of(const std::vector<double>& values) {
    return {quantile(values, 0.1), median(values), quantile(values, 0.9)};
}

Drift drift_of(const std::vector<Round>& rounds) {
    assert(!rounds.empty());
    const double window = drift_window(rounds);
    const auto [first, last] = ends_of(rounds, window);
    return {window, median(first), median(last)};
}

Ratio ratio_of(const std::vector<Round>& a, const std::vector<Round>& b) {
    constexpr Ratio kUnknownRatio{1, 0, std::numeric_limits<double>::infinity()};
    const auto is_positive = [](const Round& round) { return round.value > 0; };
    if (a.empty() || b.empty() || !std::ranges::all_of(a, is_positive) || !std::ranges::all_of(b, is_positive))
        return kUnknownRatio;  // rates and times are positive; nothing else has a ratio
    const std::vector<double> x = logs_of(a);
    const std::vector<double> y = logs_of(b);
    const std::vector<double> all = differences(x, y);
    const double estimate = std::exp(median(all));
    if (std::min(x.size(), y.size()) < kFewestRounds) return {estimate, kUnknownRatio.low, kUnknownRatio.high};
    const std::size_t rank = rank_of_bound(x.size(), y.size());
    const double drift = unexplained_drift(a) + unexplained_drift(b);
    return {estimate, std::exp(all[rank - 1] - drift), std::exp(all[all.size() - rank] + drift)};
}

}  // namespace gpuminer::bench
