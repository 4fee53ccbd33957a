#include "mpi/static_cut.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gpuminer::mpi {
namespace {

constexpr std::chrono::milliseconds kUntilSettled{200};
constexpr std::chrono::milliseconds kMeasured{500};

}  // namespace

void CutRate::observe(Clock::time_point now, std::uint64_t completed) {
    // From one completed batch to another, so that it does not matter how long they take.
    if (rate_ > 0 || completed == counted_) return;
    counted_ = completed;
    const Point point{now, completed};
    if (!begun_) begun_ = point;
    if (!settled_ && now - begun_->at >= kUntilSettled) settled_ = point;
    if (!settled_ || now - settled_->at < kMeasured) return;
    const double seconds = std::chrono::duration<double>(now - settled_->at).count();
    rate_ = static_cast<double>(completed - settled_->completed) / seconds;
}

std::vector<Interval> cut_by_rate(Interval rest, const std::vector<double>& rates) {
    const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
    const auto count = static_cast<double>(rest.end - rest.first);
    std::vector<Interval> pieces;
    std::uint64_t begin = rest.first;
    double before = 0;
    // The last that gets any also gets what rounding leaves.
    const auto last = std::find_if(rates.rbegin(), rates.rend(), [](double rate) { return rate > 0; });
    const auto number_of_last = static_cast<std::size_t>(rates.rend() - last) - 1;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        before += rates[i];
        const auto end = std::min(rest.end, rest.first + static_cast<std::uint64_t>(count * (before / all)));
        pieces.push_back({begin, i == number_of_last ? rest.end : std::max(begin, end)});
        begin = pieces.back().end;
    }
    return pieces;
}

}  // namespace gpuminer::mpi
