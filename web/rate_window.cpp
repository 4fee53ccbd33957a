#include "web/rate_window.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace gpuminer::web {
namespace {

constexpr double kFine = 61, kCoarseStep = 15, kLongestWindow = 15 * 60;  // seconds

}  // namespace

void RateWindow::add(double seconds, std::uint64_t hashes) {
    counts_.push_back({seconds, hashes});
    // The first one that is no longer among the fine ones: away with it, unless its predecessor is far from it.
    for (auto it = counts_.begin(); std::next(it) != counts_.end(); ++it) {
        if (seconds - it->seconds > kFine) continue;
        if (it == counts_.begin()) break;
        const auto last_coarse = std::prev(it);
        if (last_coarse != counts_.begin() && last_coarse->seconds - std::prev(last_coarse)->seconds < kCoarseStep)
            counts_.erase(last_coarse);
        break;
    }
    while (counts_.size() > 2 && seconds - counts_[1].seconds >= kLongestWindow) counts_.pop_front();
}

std::optional<double> RateWindow::rate(double window) const {
    if (counts_.size() < 2) return std::nullopt;
    const Count& now = counts_.back();
    const auto within = [&](const Count& count) { return now.seconds - count.seconds <= window * 1.02; };
    const auto from = std::ranges::find_if(counts_, within);
    const double covered = now.seconds - from->seconds;
    if (covered < window * 0.9) return std::nullopt;
    return static_cast<double>(now.hashes - std::min(from->hashes, now.hashes)) / covered;
}

nlohmann::ordered_json rates_json(const RateWindow& window) {
    nlohmann::ordered_json json;
    for (const auto& [name, seconds] :
         {std::pair("10s", 10.0), std::pair("60s", 60.0), std::pair("15m", kLongestWindow)}) {
        const std::optional<double> rate = window.rate(seconds);
        json[name] = rate ? nlohmann::ordered_json(*rate) : nlohmann::ordered_json(nullptr);
    }
    return json;
}

}  // namespace gpuminer::web
