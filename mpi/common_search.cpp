#include "mpi/common_search.hpp"

#include <algorithm>
#include <utility>

#include "host/clock.hpp"

namespace gpuminer::mpi {

void CommonSearch::stop(Ending why) {
    const MutexLock lock(mutex_);
    if (!stop_reason_) stop_reason_ = why;
}

void CommonSearch::set_paused(bool paused, PauseReason reason) {
    const auto bit = static_cast<unsigned>(reason);
    const MutexLock lock(mutex_);
    paused_ = paused ? paused_ | bit : paused_ & ~bit;
}

SearchProgress CommonSearch::progress() const {
    const MutexLock lock(mutex_);
    SearchProgress result;
    result.hashes_total = total_;
    result.hashes_before = before_;
    result.hashes_done = std::min(hashes_, total_ - before_);
    result.seconds = seconds();
    result.paused = paused_ != 0;
    result.on_battery = (paused_ & static_cast<unsigned>(PauseReason::kBattery)) != 0;
    result.waiting = hashes_ == 0;
    result.best = best_;
    return result;
}

Coordinator::Wish CommonSearch::wish() const {
    const MutexLock lock(mutex_);
    return {.paused = paused_ != 0, .stopped = stop_reason_.has_value()};
}

std::optional<Ending> CommonSearch::stop_reason() const {
    const MutexLock lock(mutex_);
    return stop_reason_;
}

void CommonSearch::update(std::uint64_t hashes, const std::optional<Hash256>& best, std::vector<Notice> notices) {
    for (Notice& notice : notices) notices_.add(notice.severity, std::move(notice.text));
    const MutexLock lock(mutex_);
    hashes_ = hashes;
    best_ = best;
}

double CommonSearch::seconds() const { return seconds_since(started_); }

}  // namespace gpuminer::mpi
