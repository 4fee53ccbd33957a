#include "host/search/partition.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/search/interval_set.hpp"
#include "host/search/static_piece.hpp"

namespace gpuminer {

namespace {

/// Near the end of a shared stream units shrink so that all workers finish together, but not below this.
constexpr std::uint64_t kSmallestLastUnit = 4096;

/// Groups, of all pieces together, by which workers may be ahead of the slowest one while what is done is recorded: of
/// a group that is done in pieces each is an entry of its own, and there are up to 2^24 groups (BIP 323).
constexpr std::uint64_t kMostAhead = 1u << 16;

}  // namespace

WorkUnit WorkUnit::cut_front(std::uint64_t max_count) {
    WorkUnit front = *this;
    front.nonces.count = std::min(nonces.count, std::max<std::uint64_t>(max_count, 1));
    nonces.count -= front.nonces.count;
    // Past the last nonce this wraps to 0, with nothing left to use it.
    nonces.first = static_cast<std::uint32_t>(nonces.first + front.nonces.count);
    return front;
}

Partition::Partition(PartitionMode mode, std::uint32_t first, std::uint32_t last, std::uint64_t groups,
                     std::size_t workers)
    : mode_(mode), nonces_{first, std::uint64_t{last} - first + 1}, groups_(groups) {
    if (mode_ == PartitionMode::kDynamic) {
        streams_.push_back({kAnyWorker, nonces_});
        is_cut_ = true;
    }
    std::vector<std::size_t> owners;
    while (owners.size() < workers) owners.push_back(add_worker());
    if (workers > 0) cut(owners);
}

Partition::Partition()
    : mode_(PartitionMode::kDynamic),
      nonces_{0, std::uint64_t{1} << 32},
      groups_(std::numeric_limits<std::uint64_t>::max()),
      endless_(true),
      is_cut_(true),
      streams_({{kAnyWorker, nonces_}}) {}

std::size_t Partition::add_worker() {
    const MutexLock lock(mutex_);
    workers_.emplace_back();
    ++active_;
    return workers_.size() - 1;
}

void Partition::cut(const std::vector<std::size_t>& owners) {
    const MutexLock lock(mutex_);
    if (is_cut_ || owners.empty()) return;
    cut_pieces(owners);
    is_cut_ = true;
    changed_.notify_all();
}

void Partition::cut_pieces(const std::vector<std::size_t>& owners) {
    for (std::size_t i = 0; i < owners.size(); ++i) {
        WorkerState& state = workers_[owners[i]];
        state.piece = static_piece(nonces_, owners.size(), i);
        streams_.push_back({state.active ? owners[i] : kAnyWorker, state.piece});
        skip_done(streams_.back());
    }
}

bool Partition::is_cut() const {
    const MutexLock lock(mutex_);
    return is_cut_;
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
    remember(workers_[worker], part);
    if (recording_) done_.add(interval(part));
    if (fed_) undone_.remove(interval(part));
    in_flight_ -= part.nonces.count;
    // With one worker this is so after every unit, and a Condition locks a mutex of its own.
    if (in_flight_ == 0 && waiting_ > 0) changed_.notify_all();
}

void Partition::give_back(std::size_t worker, const WorkUnit& part, bool by_another) {
    const MutexLock lock(mutex_);
    put_back(part.key(), part.nonces.count, by_another ? worker : kAnyWorker);
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
        put_back(held->key(), held->nonces.count, kAnyWorker);
    }
    for (Stream& stream : streams_) {
        if (stream.owner == worker) stream.owner = kAnyWorker;
    }
    if (distrust) {
        for (const Interval& positions : state.completed) {
            put_back(after({0, nonces_.first}, positions.first), positions.end - positions.first, kAnyWorker);
            done_.remove(positions);
            if (fed_) undone_.add(positions);
        }
        state.completed.clear();
    }
    changed_.notify_all();
}

void Partition::set_bound(UnitKey last_useful) {
    const MutexLock lock(mutex_);
    if (!bound_ || last_useful < *bound_) bound_ = last_useful;
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
    for (Stream& stream : streams_) {
        if (stream.group >= group) continue;
        stream.group = group;
        stream.done = 0;
    }
    returned_.erase(returned_.begin(), returned_.lower_bound({group, 0}));
    oldest_ = std::max(oldest_, group);
    changed_.notify_all();
}

void Partition::set_worker_paused(std::size_t worker, bool paused) {
    const MutexLock lock(mutex_);
    workers_[worker].paused = paused;
    changed_.notify_all();
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
    if (mode_ == PartitionMode::kDynamic) return nonces_;
    const MutexLock lock(mutex_);
    return workers_[worker].piece;
}

std::optional<WorkUnit> Partition::next_unit(std::size_t worker, std::uint64_t max_nonces) {
    // What came back goes first: it is the oldest work, and a search for the lowest hit waits for it.
    if (const auto unit = next_returned(worker, max_nonces)) return unit;
    for (Stream& stream : streams_) {
        if (stream.owner == worker && has_work(stream)) return next_of_stream(or_last(stream), worker, max_nonces);
    }
    for (Stream& stream : streams_) {
        if (stream.owner == kAnyWorker && has_work(stream)) return next_of_stream(stream, worker, max_nonces);
    }
    return std::nullopt;
}

/// The worker's own stream, or the one that is last, where its own is too far ahead of that.
Partition::Stream& Partition::or_last(Stream& own) {
    if (!recording_) return own;
    Stream& last = *std::ranges::min_element(streams_, {}, [this](const Stream& stream) GPUMINER_REQUIRES(mutex_) {
        return has_work(stream) ? stream.group : groups_;
    });
    return own.group - last.group > kMostAhead / streams_.size() ? last : own;
}

std::optional<WorkUnit> Partition::next_returned(std::size_t worker, std::uint64_t max_nonces) {
    for (auto it = returned_.begin(); it != returned_.end(); ++it) {
        const auto [key, entry] = *it;
        if (bound_ && key > *bound_) break;
        if (entry.not_for == worker && others_at_work(worker)) continue;
        const std::uint64_t in_group = nonces_.count - (key.nonce - nonces_.first);
        WorkUnit rest{key.group, {key.nonce, std::min(entry.count, in_group)}};
        const WorkUnit unit = rest.cut_front(max_nonces);
        returned_.erase(it);
        put_back(after(key, unit.nonces.count), entry.count - unit.nonces.count, entry.not_for);
        return unit;
    }
    return std::nullopt;
}

std::optional<WorkUnit> Partition::next_of_stream(Stream& stream, std::size_t worker, std::uint64_t max_nonces) const {
    if (stream.owner == kAnyWorker && active_ > 1) {
        const double half = static_cast<double>(remaining(stream)) / 2;
        const auto part = static_cast<std::uint64_t>(half * share(workers_[worker]));
        max_nonces = std::min(max_nonces, std::max(kSmallestLastUnit, part));
    }
    WorkUnit rest{stream.group,
                  {static_cast<std::uint32_t>(stream.piece.first + stream.done), stream.piece.count - stream.done}};
    if (const auto next_done = done_.first_above(position(stream)))
        max_nonces = std::min(max_nonces, *next_done - position(stream));
    const WorkUnit unit = rest.cut_front(max_nonces);
    stream.done += unit.nonces.count;
    if (stream.done == stream.piece.count) {
        stream.done = 0;
        ++stream.group;
    }
    skip_done(stream);
    return unit;
}

void Partition::set_speed(WorkerState& state, double speed) {
    known_speeds_ += (speed > 0 ? 1 : 0) - (state.speed > 0 ? 1 : 0);
    sum_of_speeds_ = known_speeds_ == 0 ? 0 : sum_of_speeds_ + speed - state.speed;
    state.speed = speed;
}

/// The worker's part of what all do together; of workers about which nothing is known yet each counts as the average.
double Partition::share(const WorkerState& state) const {
    const auto all = static_cast<double>(active_);
    if (state.speed <= 0) return 1 / all;
    return std::clamp(state.speed / sum_of_speeds_ * known_speeds_ / all, 0.0, 1.0);  // the sum is rounded
}

bool Partition::others_at_work(std::size_t worker) const {
    for (std::size_t other = 0; other < workers_.size(); ++other) {
        if (other != worker && workers_[other].at_work()) return true;
    }
    return false;
}

bool Partition::has_work(const Stream& stream) const {
    if (stream.group == groups_ || stream.piece.count == 0) return false;
    // A stream's keys ascend: once one is above the bound, so are all that follow.
    return !bound_ || UnitKey{stream.group, static_cast<std::uint32_t>(stream.piece.first + stream.done)} <= *bound_;
}

bool Partition::all_searched() const {
    if (!is_cut_ || fed_ || in_flight_ != 0) return false;
    if (!returned_.empty() && !(bound_ && returned_.begin()->first > *bound_)) return false;
    return std::none_of(streams_.begin(), streams_.end(),
                        [this](const Stream& s) GPUMINER_REQUIRES(mutex_) { return has_work(s); });
}

std::uint64_t Partition::remaining(const Stream& stream) const {
    std::uint64_t whole_groups = 0;  // saturates: 2^32 nonces times 2^32 groups
    if (__builtin_mul_overflow(groups_ - stream.group, stream.piece.count, &whole_groups)) {
        return std::numeric_limits<std::uint64_t>::max();
    }
    return whole_groups - stream.done;
}

void Partition::put_back(UnitKey key, std::uint64_t count, std::size_t not_for) {
    if (count > 0 && key.group >= oldest_) returned_.emplace(key, Returned{count, not_for});
}

void Partition::remember(WorkerState& state, const WorkUnit& part) const {
    if (endless_) return;
    auto& intervals = state.completed;
    const Interval positions = interval(part);
    if (!intervals.empty() && intervals.back().end == positions.first) {
        intervals.back().end = positions.end;
        return;
    }
    intervals.push_back(positions);
    // With many workers, or pieces of many groups, a day's units are no neighbours and would fill the memory.
    // Remembering a little too much is harmless: at worst it is searched twice.
    if (intervals.size() >= kMostRemembered) merge_nearest(intervals);
}

}  // namespace gpuminer
