// A partition's account of completed work, for its keeper (--checkpoint) and its feeder (ranks of MPI).
#include <algorithm>
#include <utility>

#include "host/search/partition.hpp"

namespace gpuminer {

void Partition::record(IntervalSet done_before) {
    const MutexLock lock(mutex_);
    recording_ = true;
    done_ = std::move(done_before);
    for (Stream& stream : streams_) skip_done(stream);
}

IntervalSet Partition::done() const {
    const MutexLock lock(mutex_);
    return done_;
}

void Partition::expect_feed() {
    const MutexLock lock(mutex_);
    recording_ = fed_ = is_cut_ = true;
    streams_.clear();
}

void Partition::feed(Interval positions) {
    const MutexLock lock(mutex_);
    put_back(after({0, nonces_.first}, positions.first), positions.end - positions.first, kAnyWorker);
    changed_.notify_all();
}

std::uint64_t Partition::backlog() const {
    const MutexLock lock(mutex_);
    std::uint64_t count = in_flight_;
    for (const auto& [key, entry] : returned_) {
        if (bound_ && key > *bound_) break;
        count += bound_ ? std::min(entry.count, position(*bound_) + 1 - position(key)) : entry.count;
    }
    return count;
}

std::vector<Interval> Partition::take_back() {
    const MutexLock lock(mutex_);
    std::vector<Interval> positions;
    for (const auto& [key, entry] : returned_) positions.push_back({position(key), position(key) + entry.count});
    returned_.clear();
    return positions;
}

Partition::Changes Partition::take_changes() {
    const MutexLock lock(mutex_);
    return {std::exchange(done_, {}), std::exchange(undone_, {})};
}

/// Moves on to what is not done. (Of what lies ahead of a stream only a record's work is.)
void Partition::skip_done(Stream& stream) const {
    while (stream.group < groups_ && stream.piece.count > 0) {
        const auto end = done_.end_at(position(stream));
        if (!end) return;
        const std::uint64_t group = *end / nonces_.count, nonce = nonces_.first + *end % nonces_.count;
        if (group > stream.group) stream.done = 0;
        stream.group = group;
        if (nonce > stream.piece.first) stream.done = nonce - stream.piece.first;
        if (stream.done < stream.piece.count) continue;
        stream.done = 0;
        ++stream.group;
    }
}

UnitKey Partition::after(UnitKey key, std::uint64_t count) const {
    const std::uint64_t offset = key.nonce - nonces_.first + count;
    return {key.group + offset / nonces_.count, static_cast<std::uint32_t>(nonces_.first + offset % nonces_.count)};
}

Interval Partition::interval(const WorkUnit& unit) const {
    const std::uint64_t first = position(unit.group, unit.nonces.first);
    return {first, first + unit.nonces.count};
}

}  // namespace gpuminer
