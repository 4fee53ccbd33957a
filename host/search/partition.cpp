#include "host/search/partition.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gpuminer {

Partition::Partition(PartitionMode mode, const WorkSpace& space, std::optional<IntervalSet> done)
    : space_(space),
      account_(std::in_place, std::move(done)),
      cursor_(std::in_place, space, mode, account_->record()),
      returned_(space) {}

Partition::Partition(const WorkSpace& space)
    : space_(space), account_(std::in_place, IntervalSet{}), returned_(space) {}

Partition::Partition()
    : space_{{0, std::uint64_t{1} << 32}, std::numeric_limits<std::uint64_t>::max()},
      cursor_(std::in_place, space_, PartitionMode::kDynamic, nullptr),
      returned_(space_) {}

std::size_t Partition::add_worker() {
    const MutexLock lock(mutex_);
    workers_.emplace_back();
    ++active_;
    return workers_.size() - 1;
}

void Partition::cut(const std::vector<std::size_t>& owners) {
    const MutexLock lock(mutex_);
    if (!cursor_ || cursor_->is_cut() || owners.empty()) return;
    cursor_->cut(owners);
    for (const std::size_t owner : owners) {
        if (!workers_[owner].active) cursor_->release(owner);
    }
    changed_.notify_all();
}

bool Partition::is_cut() const {
    const MutexLock lock(mutex_);
    return !cursor_ || cursor_->is_cut();
}

std::optional<WorkUnit> Partition::take(std::size_t worker, std::uint64_t max_nonces, double speed) {
    const MutexLock lock(mutex_);
    if (workers_[worker].active) set_speed(workers_[worker], speed);
    std::optional<WorkUnit> unit;
    ++waiting_;
    changed_.wait(mutex_, [&]() GPUMINER_REQUIRES(mutex_) {
        if (stopped_ || all_searched()) return true;
        if (holds_ == 0 && !workers_[worker].paused) unit = next_unit(worker, max_nonces);
        return unit.has_value();
    });
    --waiting_;
    if (unit) in_flight_ += unit->nonces.count;
    return unit;
}

void Partition::complete(std::size_t worker, const WorkUnit& part) {
    const MutexLock lock(mutex_);
    if (account_) account_->complete(worker, space_.interval(part.key(), part.nonces.count));
    in_flight_ -= part.nonces.count;
    // With one worker this is so after every unit, and a Condition locks a mutex of its own.
    if (in_flight_ == 0 && waiting_ > 0) changed_.notify_all();
}

void Partition::give_back(std::size_t worker, const WorkUnit& part, bool by_another) {
    const MutexLock lock(mutex_);
    returned_.add(part.key(), part.nonces.count, by_another ? worker : kAnyWorker);
    in_flight_ -= part.nonces.count;
    changed_.notify_all();
}

void Partition::quarantine(std::size_t worker, const std::optional<WorkUnit>& held, bool distrust) {
    const MutexLock lock(mutex_);
    WorkerState& state = workers_[worker];
    if (!state.active) return;
    set_speed(state, 0);
    state.active = false;
    --active_;
    if (held) {
        in_flight_ -= held->nonces.count;
        returned_.add(held->key(), held->nonces.count);
    }
    if (cursor_) cursor_->release(worker);
    if (distrust && account_) {
        for (const Interval& positions : account_->distrust(worker)) returned_.add(positions);
    }
    changed_.notify_all();
}

void Partition::set_bound(UnitKey last_useful) {
    const MutexLock lock(mutex_);
    if (cursor_) cursor_->set_bound(last_useful);
    returned_.set_bound(last_useful);
    changed_.notify_all();
}

void Partition::stop() {
    const MutexLock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
}

void Partition::set_hold(Hold reason, bool held) {
    const MutexLock lock(mutex_);
    const auto bit = static_cast<unsigned>(reason);
    const unsigned before = std::exchange(holds_, held ? holds_ | bit : holds_ & ~bit);
    if (before != 0 && holds_ == 0) changed_.notify_all();
}

void Partition::skip_to(std::uint64_t group) {
    const MutexLock lock(mutex_);
    if (cursor_) cursor_->skip_to(group);
    returned_.skip_to(group);
    changed_.notify_all();
}

void Partition::set_worker_paused(std::size_t worker, bool paused) {
    const MutexLock lock(mutex_);
    workers_[worker].paused = paused;
    changed_.notify_all();
}

void Partition::feed(Interval positions) {
    const MutexLock lock(mutex_);
    returned_.add(positions);
    changed_.notify_all();
}

std::uint64_t Partition::backlog() const {
    const MutexLock lock(mutex_);
    return in_flight_ + returned_.size();
}

std::vector<Interval> Partition::take_back() {
    const MutexLock lock(mutex_);
    return returned_.take_all();
}

IntervalSet Partition::done() const {
    const MutexLock lock(mutex_);
    const IntervalSet* const record = account_ ? account_->record() : nullptr;
    return record != nullptr ? *record : IntervalSet{};
}

DoneWork Partition::take_changes() {
    const MutexLock lock(mutex_);
    return account_ ? account_->take_changes() : DoneWork{};
}

bool Partition::endless() const {
    const MutexLock lock(mutex_);
    return !account_;
}

bool Partition::stopped() const {
    const MutexLock lock(mutex_);
    return stopped_;
}

std::size_t Partition::workers_at_work() const {
    const MutexLock lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(workers_, &WorkerState::at_work));
}

bool Partition::finished() const {
    const MutexLock lock(mutex_);
    return all_searched();
}

NonceRange Partition::piece(std::size_t worker) const {
    const MutexLock lock(mutex_);
    return cursor_ ? cursor_->piece(worker) : space_.nonces;
}

std::optional<WorkUnit> Partition::next_unit(std::size_t worker, std::uint64_t max_nonces) {
    // What came back goes first: it is the oldest work, and a search for the lowest hit waits for it.
    if (!returned_.empty()) {
        if (const auto unit = returned_.next(worker, max_nonces, is_alone(worker))) return unit;
    }
    return cursor_ ? cursor_->next(worker, max_nonces, share(workers_[worker])) : std::nullopt;
}

void Partition::set_speed(WorkerState& state, double speed) {
    known_speeds_ += (speed > 0 ? 1 : 0) - (state.speed > 0 ? 1 : 0);
    sum_of_speeds_ = known_speeds_ == 0 ? 0 : sum_of_speeds_ + speed - state.speed;
    state.speed = speed;
}

/// The worker's part of what all do together; of workers about which nothing is known yet each counts as the average.
/// Empty: it is the only one.
std::optional<double> Partition::share(const WorkerState& state) const {
    if (active_ <= 1) return std::nullopt;
    const auto all = static_cast<double>(active_);
    if (state.speed <= 0) return 1 / all;
    return std::clamp(state.speed / sum_of_speeds_ * known_speeds_ / all, 0.0, 1.0);  // the sum is rounded
}

bool Partition::is_alone(std::size_t worker) const {
    for (std::size_t other = 0; other < workers_.size(); ++other) {
        if (other != worker && workers_[other].at_work()) return false;
    }
    return true;
}

bool Partition::all_searched() const { return cursor_ && in_flight_ == 0 && returned_.empty() && cursor_->at_end(); }

bool HashBudget::grant(double hashes, double most) {
    const MutexLock lock(mutex_);
    most_.store(static_cast<std::uint64_t>(std::clamp(most, 1.0, 1e18)), std::memory_order_relaxed);
    const bool overdrawn = account_ < 0;
    account_ = std::min(account_ + hashes, most);
    partition_.set_hold(Hold::kLimit, account_ <= 0);
    return overdrawn;
}

void HashBudget::charge(std::uint64_t hashes) {
    if (most_.load(std::memory_order_relaxed) == kUnlimited) return;
    const MutexLock lock(mutex_);
    account_ -= static_cast<double>(hashes);
    partition_.set_hold(Hold::kLimit, account_ <= 0);
}

std::uint64_t HashBudget::unit_hashes() const {
    const std::uint64_t most = most_.load(std::memory_order_relaxed);
    if (most == kUnlimited) return most;
    return most / std::max<std::uint64_t>(partition_.workers_at_work(), 1);
}

}  // namespace gpuminer
