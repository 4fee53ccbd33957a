#include "web/history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace gpuminer::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr HistoryPoint kNothing{kUnknown, kUnknown, kUnknown};
constexpr float HistoryPoint::*kKinds[] = {&HistoryPoint::hash_rate, &HistoryPoint::temperature_c,
                                           &HistoryPoint::power_w};
constexpr const char* kNames[] = {"hash_rate", "temperature_c", "power_w"};

/// Rounded to what a plot can show: a rate of 39812345.678 takes 10 bytes of text less.
Json rounded(float value) {
    if (!std::isfinite(value)) return nullptr;
    if (value == 0) return 0;
    const double scale = std::pow(10, 4 - std::ceil(std::log10(std::abs(value))));
    const double result = std::round(value * scale) / scale;
    if (std::abs(result) >= 1000) return static_cast<std::int64_t>(result);
    return result;
}

}  // namespace

void HistoryRing::add(std::int64_t now, const HistoryPoint& point) {
    constexpr std::int64_t kAdjustment = 600;  // seconds; a clock that is set back by less counts as one that stands
    std::int64_t time = now / step_ * step_;
    if (time < newest_ && newest_ - time <= kAdjustment) time = newest_;
    if (time < newest_) *this = HistoryRing(step_, points_.size());
    if (time != newest_) {
        const std::int64_t steps = newest_ == 0 ? 1 : (time - newest_) / step_;
        const auto length = static_cast<std::int64_t>(points_.size());
        for (std::int64_t i = std::max<std::int64_t>(1, steps - length + 1); i <= steps; ++i)
            points_[place_of(time - (steps - i) * step_)] = kNothing;
        filled_ = static_cast<std::size_t>(std::min(static_cast<std::int64_t>(filled_) + steps, length));
        newest_ = time;
        sums_ = {};
        std::ranges::fill(counts_, 0);
    }
    HistoryPoint& mean = points_[place_of(time)];
    for (std::size_t i = 0; i < std::size(kKinds); ++i) {
        const float value = point.*kKinds[i];
        if (!std::isfinite(value)) continue;
        sums_.*kKinds[i] += value;
        mean.*kKinds[i] = sums_.*kKinds[i] / static_cast<float>(++counts_[i]);
    }
}

std::vector<HistoryPoint> HistoryRing::points() const {
    std::vector<HistoryPoint> points;
    points.reserve(filled_);
    for (std::size_t age = filled_; age > 0; --age)
        points.push_back(points_[place_of(newest_ - static_cast<std::int64_t>(age - 1) * step_)]);
    return points;
}

void HistoryRing::restore(std::int64_t newest, std::span<const HistoryPoint> points) {
    *this = HistoryRing(step_, points_.size());
    const std::size_t count = std::min(points.size(), points_.size());
    if (count == 0 || newest < static_cast<std::int64_t>(count) * step_) return;
    newest_ = newest / step_ * step_;
    filled_ = count;
    for (std::size_t i = 0; i < count; ++i)
        points_[place_of(newest_ - static_cast<std::int64_t>(i) * step_)] = points[points.size() - 1 - i];
}

Json history_json(const HistoryRing& ring) {
    Json json{{"step_seconds", ring.step()}, {"end", ring.newest() != 0 ? Json(ring.newest()) : Json(nullptr)}};
    const std::vector<HistoryPoint> points = ring.points();
    for (std::size_t i = 0; i < std::size(kKinds); ++i) {
        Json values = Json::array();
        for (const HistoryPoint& point : points) values.push_back(rounded(point.*kKinds[i]));
        json[kNames[i]] = std::move(values);
    }
    return json;
}

void restore_history(HistoryRing& ring, const Json& json) {
    if (!json.is_object() || json.value("step_seconds", Json()) != ring.step()) return;
    const Json end = json.value("end", Json());
    constexpr double kYear3000 = 32'503'680'000;  // seconds
    if (!end.is_number_integer() || end.get<double>() <= 0 || end.get<double>() > kYear3000) return;
    std::vector<HistoryPoint> points;
    for (std::size_t i = 0; i < std::size(kKinds); ++i) {
        const Json values = json.value(kNames[i], Json());
        if (!values.is_array()) return;
        points.resize(std::max(points.size(), values.size()), kNothing);
        for (std::size_t j = 0; j < values.size(); ++j) {
            if (values[j].is_number()) points[j].*kKinds[i] = values[j].get<float>();
        }
    }
    ring.restore(end.get<std::int64_t>(), points);
}

}  // namespace gpuminer::web
