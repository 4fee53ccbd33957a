#include "mpi/group_size.hpp"

#include <algorithm>

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

}  // namespace gpuminer::mpi
