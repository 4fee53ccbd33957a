// Statistics of rounds: median, spread, drift, and the ratio of two runs with its confidence interval.
#pragma once

#include <vector>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

/// The value below which a share (0 … 1) of the values lies: that of the nearest rank. `values` is not empty.
[[nodiscard]] double quantile(std::vector<double> values, double share);
[[nodiscard]] double median(const std::vector<double>& values);

struct Spread {
    double low = 0;  ///< 10 % of the rounds were below
    double median = 0;
    double high = 0;  ///< 10 % of the rounds were above
};
[[nodiscard]] Spread spread_of(const std::vector<double>& values);

/// The end of a run relative to its beginning: shows throttling, or load by others that began during the run. Windows
/// of a minute each, or of a third of the time where that is shorter.
struct Drift {
    double window_seconds = 0;
    double first = 0;  ///< median of the rounds that began in the first window
    double last = 0;   ///< of those that began in the last
    [[nodiscard]] double ratio() const { return first != 0 ? last / first : 1; }
};
[[nodiscard]] Drift drift_of(const std::vector<Round>& rounds);

/// B over A. Nothing is known where a value is not positive.
struct Ratio {
    double estimate = 1;
    double low = 0;   ///< with `high`: a 95 % confidence interval
    double high = 0;  ///< infinite, and `low` 0, where there are too few rounds to tell
    /// The interval leaves 1 out: the difference is more than noise.
    [[nodiscard]] bool significant() const { return low > 1 || high < 1; }
};
[[nodiscard]] Ratio ratio_of(const std::vector<Round>& a, const std::vector<Round>& b);

}  // namespace gpuminer::bench
