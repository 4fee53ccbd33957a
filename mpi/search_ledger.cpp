#include "mpi/search_ledger.hpp"

#include <algorithm>

namespace gpuminer::mpi {

SearchLedger::SearchLedger(const SearchRequest& request, const SearchRecord& earlier)
    : request_(request),
      nonces_(std::uint64_t{request.end} - request.start + 1),
      versions_(request.header.version(), request.version_mask, earlier.group_size),
      hits_(request_, versions_, true),
      done_(earlier.done) {
    for (const HitKey& hit : earlier.hits) add_hit(hit);
}

void SearchLedger::add_hit(const HitKey& hit) {
    const MutexLock lock(mutex_);
    const HitEffect effect = hits_.add(hit);
    if (effect.bound && (!bound_ || *effect.bound < *bound_)) bound_ = effect.bound;
}

void SearchLedger::add_done(const IntervalSet& done) {
    const MutexLock lock(mutex_);
    for (const auto& [first, end] : done.intervals()) done_.add({first, end});
}

void SearchLedger::remove_done(const IntervalSet& undone) {
    const MutexLock lock(mutex_);
    for (const auto& [first, end] : undone.intervals()) done_.remove({first, end});
}

void SearchLedger::give_back(const std::vector<Interval>& positions) {
    const MutexLock lock(mutex_);
    for (const Interval& interval : positions) given_back_.add(interval);
}

std::vector<Interval> SearchLedger::take_back(std::uint64_t count) {
    const MutexLock lock(mutex_);
    std::vector<Interval> taken;
    while (count > 0 && !given_back_.empty()) {
        const auto& [first, end] = *given_back_.intervals().begin();
        taken.push_back({first, first + std::min(count, end - first)});
        count -= taken.back().end - taken.back().first;
        given_back_.remove(taken.back());
    }
    return taken;
}

bool SearchLedger::finished() const {
    const MutexLock lock(mutex_);
    if (hits_.goal_reached()) return true;
    const std::uint64_t first_left = done_.end_at(0).value_or(0);
    if (first_left >= positions()) return true;
    // Units begin anywhere: what has to be done is all up to the bound.
    return bound_ &&
           UnitKey{first_left / nonces_, static_cast<std::uint32_t>(request_.start + first_left % nonces_)} > *bound_;
}

std::optional<UnitKey> SearchLedger::bound() const {
    const MutexLock lock(mutex_);
    return bound_;
}

SearchRecord SearchLedger::record() const {
    const MutexLock lock(mutex_);
    return {.group_size = versions_.group_size(), .done = done_, .hits = hits_.recorded()};
}

std::uint64_t SearchLedger::done() const {
    const MutexLock lock(mutex_);
    return done_.size();
}

WorkResult SearchLedger::result() {
    WorkResult result;
    result.finished = finished();
    hits_.move_to(result);
    return result;
}

}  // namespace gpuminer::mpi
