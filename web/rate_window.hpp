// Hash rates over the last 10 seconds, minute and 15 minutes, from counts of hashes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::web {

class RateWindow {
public:
    /// `seconds`: on any steady clock, ascending. `hashes`: in all.
    void add(double seconds, std::uint64_t hashes);
    /// Hashes per second over the last `window` seconds, of which there are at least 90 % of samples; empty: not yet.
    [[nodiscard]] std::optional<double> rate(double window) const;

private:
    struct Count {
        double seconds;
        std::uint64_t hashes;
    };
    std::deque<Count> counts_;  // one a second of the last minute, four a minute before that
};

/// {"10s", "60s", "15m"}: hashes per second, null where it is not known yet.
[[nodiscard]] nlohmann::ordered_json rates_json(const RateWindow& window);

}  // namespace gpuminer::web
