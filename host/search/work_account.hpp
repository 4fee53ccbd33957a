// Account of a search's completed work: by whom it was done, as long as they are trusted.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "host/search/interval_set.hpp"

namespace gpuminer {

/// Positions that are done, or were. What is in one of the two is not in the other.
struct DoneWork {
    IntervalSet done;
    IntervalSet undone;  ///< told as done before, by a device that is not trusted any more

    void complete(const Interval& positions) {
        done.add(positions);
        undone.remove(positions);
    }
    void undo(const Interval& positions) {
        done.remove(positions);
        undone.add(positions);
    }
    /// What came later.
    void add(const DoneWork& later) {
        for (const auto& [first, end] : later.done.intervals()) complete({first, end});
        for (const auto& [first, end] : later.undone.intervals()) undo({first, end});
    }
};

class WorkAccount {
public:
    /// Records what is done, of which `done` is already. Nothing: it only knows what each worker did.
    explicit WorkAccount(std::optional<IntervalSet> done = {})
        : is_recording_(done.has_value()), work_{std::move(done).value_or(IntervalSet{}), {}} {}

    void complete(std::size_t worker, const Interval& positions) {
        remember(worker, positions);
        if (is_recording_) work_.complete(positions);
    }
    /// Returns what the worker has completed: it does not count as done any more, and has to be done again.
    [[nodiscard]] std::vector<Interval> distrust(std::size_t worker) {
        if (worker >= completed_.size()) return {};
        std::vector<Interval> completed = std::exchange(completed_[worker], {});
        if (!is_recording_) return completed;
        for (const Interval& positions : completed) work_.undo(positions);
        return completed;
    }

    /// Null: it does not record.
    [[nodiscard]] const IntervalSet* record() const { return is_recording_ ? &work_.done : nullptr; }
    /// Since the last call; then nothing is recorded as done.
    [[nodiscard]] DoneWork take_changes() { return std::exchange(work_, {}); }

private:
    static constexpr std::size_t kMostRemembered = 1u << 16;  // intervals of a worker: 1 MiB

    void remember(std::size_t worker, const Interval& positions) {
        if (worker >= completed_.size()) completed_.resize(worker + 1);
        std::vector<Interval>& intervals = completed_[worker];
        if (!intervals.empty() && intervals.back().end == positions.first) {
            intervals.back().end = positions.end;
            return;
        }
        intervals.push_back(positions);
        // With many workers, or pieces of many groups, a day's units are no neighbours and would fill the memory.
        // Remembering a little too much is harmless: at worst it is searched twice.
        if (intervals.size() >= kMostRemembered) merge_nearest(intervals);
    }

    const bool is_recording_;
    DoneWork work_;
    std::vector<std::vector<Interval>> completed_;  ///< by worker; neighbours merged
};

}  // namespace gpuminer
