#include "mpi/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gpuminer::mpi {
namespace {

constexpr double kGroup = 0.3;      // seconds of work in a group
constexpr double kLow = 0.15;       // seconds of work at which the next one is taken
constexpr double kShortest = 0.05;  // seconds of work in the last groups
constexpr std::chrono::milliseconds kWindow{25};
constexpr double kWeight = 0.3;                      // of a window that is slower
constexpr std::chrono::seconds kHalfWindowOfAll{2};  // several groups of every rank

}  // namespace

void GroupSize::observe(Clock::time_point now, std::uint64_t completed) {
    if (!started_) {
        if (completed == 0) return;  // devices are starting
        started_ = true;
        since_ = now;
        counted_ = completed;
        return;
    }
    // From one completed batch to another, so that it does not matter how long they take.
    if (completed == counted_ || now - since_ < kWindow) return;
    const double seconds = std::chrono::duration<double>(now - since_).count();
    const double rate = static_cast<double>(completed - counted_) / seconds;
    // A device that gets too little shows no more than it gets: what it has done once it can do. Ranks that waited, for
    // work or for a pause to end, show less.
    rate_ = std::max(rate, rate_ + kWeight * (rate - rate_));
    since_ = now;
    counted_ = completed;
}

bool GroupSize::is_low(std::uint64_t backlog) const {
    if (rate_ == 0) return backlog < std::max(latest_ / 2, smallest_);
    return static_cast<double>(backlog) < rate_ * kLow;
}

void GroupSize::saw_taken(Clock::time_point now, std::uint64_t taken) {
    latest_seen_ = {now, taken};
    if (!first_seen_) first_seen_ = latest_seen_;
    if (!middle_seen_ || now - middle_seen_->at >= kHalfWindowOfAll) {
        if (middle_seen_) first_seen_ = middle_seen_;
        middle_seen_ = latest_seen_;
    }
}

/// As if all ranks were alike; and half of what this one can do in the time that is left for all, where it is slower.
double GroupSize::share(Clock::time_point now, std::uint64_t left, unsigned ranks) const {
    const double of_many = static_cast<double>(left) / (2.0 * std::max(ranks, 1U));
    if (!first_seen_ || latest_seen_.taken == first_seen_->taken) return of_many;
    const auto seconds_since = [](const Seen& seen, Clock::time_point until) {
        return std::chrono::duration<double>(until - seen.at).count();
    };
    const double rate_of_all = static_cast<double>(latest_seen_.taken - first_seen_->taken) /
                               std::max(seconds_since(*first_seen_, latest_seen_.at), 1e-6);
    const double time_left = static_cast<double>(left) / rate_of_all - seconds_since(latest_seen_, now);
    return std::min(of_many, rate_ * time_left / 2);
}

std::uint64_t GroupSize::next(Clock::time_point now, std::uint64_t left, unsigned ranks) {
    if (rate_ == 0) {
        // Doubled until there is a rate, for devices of any speed.
        latest_ = latest_ == 0 ? smallest_ : 2 * latest_;
        return std::clamp<std::uint64_t>(
            latest_, 1, std::max<std::uint64_t>(left / (std::uint64_t{2} * std::max(ranks, 1U)), smallest_));
    }
    const double count = std::clamp(share(now, left, ranks), rate_ * kShortest, rate_ * kGroup);
    return std::max(static_cast<std::uint64_t>(count), std::uint64_t{1});
}

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

RemainingWork::RemainingWork(std::uint64_t positions, const IntervalSet& done) {
    IntervalSet left;
    left.add({0, positions});
    for (const auto& [first, end] : done.intervals()) left.remove({first, end});
    for (const auto& [first, end] : left.intervals()) {
        gaps_.push_back({size_, {first, end}});
        size_ += end - first;
    }
}

std::vector<Interval> RemainingWork::intervals(std::uint64_t first, std::uint64_t count) const {
    std::vector<Interval> result;
    if (first >= size_) return result;
    const std::uint64_t end = first + std::min(count, size_ - first);
    auto gap = std::ranges::upper_bound(gaps_, first, {}, &Gap::number) - 1;
    for (; gap != gaps_.end() && gap->number < end; ++gap) {
        const std::uint64_t from = std::max(first, gap->number) - gap->number;
        const std::uint64_t length = gap->positions.end - gap->positions.first;
        result.push_back({gap->positions.first + from, gap->positions.first + std::min(length, end - gap->number)});
    }
    return result;
}

}  // namespace gpuminer::mpi
