// Time series for the plots: one value of each kind for every second of the last hour and every minute of the last day.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::web {

/// What is not known is NaN.
struct HistoryPoint {
    float hash_rate;      ///< hashes per second
    float temperature_c;  ///< of the hottest device
    float power_w;        ///< of all devices together
};

/// The latest points, at a steady step; a step without a sample has none. 12 bytes a point.
class HistoryRing {
public:
    /// `step`: seconds.
    HistoryRing(std::int64_t step, std::size_t length) : step_(step), points_(length) {}

    /// `now`: seconds since 1970. The average of all samples of a step is its point. A clock that was set back by
    /// more than ten minutes empties it.
    void add(std::int64_t now, const HistoryPoint& point);
    [[nodiscard]] std::int64_t step() const { return step_; }
    /// Seconds since 1970 at which the newest point's step begins; 0: there is none.
    [[nodiscard]] std::int64_t newest() const { return newest_; }
    /// The oldest first, without those before the first sample.
    [[nodiscard]] std::vector<HistoryPoint> points() const;
    /// As points() and newest() gave them, perhaps in an earlier run.
    void restore(std::int64_t newest, std::span<const HistoryPoint> points);

private:
    [[nodiscard]] std::size_t place_of(std::int64_t time) const {
        return static_cast<std::size_t>(time / step_) % points_.size();
    }

    std::int64_t step_;
    std::vector<HistoryPoint> points_;
    std::size_t filled_ = 0;
    std::int64_t newest_ = 0;
    HistoryPoint sums_{};
    int counts_[3] = {};  // of the newest step's samples, those that are known
};

/// Both rings.
struct History {
    HistoryRing hour{1, 3600};
    HistoryRing day{60, 1440};

    void add(std::int64_t now, const HistoryPoint& point) {
        hour.add(now, point);
        day.add(now, point);
    }
};

/// {"step_seconds", "end", "hash_rate": […], "temperature_c": […], "power_w": […]}, null for what is not known. `end`:
/// seconds since 1970 at which the last point's step begins; null: there is none.
[[nodiscard]] nlohmann::ordered_json history_json(const HistoryRing& ring);
/// Into a ring; nothing happens where the text is not such an object.
void restore_history(HistoryRing& ring, const nlohmann::ordered_json& json);

}  // namespace gpuminer::web
