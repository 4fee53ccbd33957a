// Partition of a search space among workers: hands out units of work so that every nonce of every version group is
// searched once, and takes back what a device could not finish.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "host/mutex.hpp"
#include "host/search/interval_set.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer {

/// Where a unit starts. Units are ordered by version group, then nonce.
struct UnitKey {
    std::uint64_t group = 0;
    std::uint32_t nonce = 0;

    friend auto operator<=>(const UnitKey&, const UnitKey&) = default;
};

/// A reason why no worker gets a unit for now.
enum class Hold : unsigned {
    kPaused = 1,  ///< by the user
    kNoJob = 2,   ///< there is nothing to be searched
    kLimit = 4,   ///< the devices are faster than they may be
};

/// Some nonces, for all versions of one group.
struct WorkUnit {
    std::uint64_t group = 0;
    NonceRange nonces;

    [[nodiscard]] UnitKey key() const { return {group, nonces.first}; }
    /// Cuts off and returns the unit's first nonces, at most `max_count` (at least one) of them.
    [[nodiscard]] WorkUnit cut_front(std::uint64_t max_count);

    friend bool operator==(const WorkUnit&, const WorkUnit&) = default;
};

/// All members may be called from any thread.
class Partition {
public:
    /// Nonces first … last (inclusive) for each of `groups` version groups, among workers 0 … workers-1, which are
    /// added and (static) get their pieces at once. With 0 of them: add_worker(), and cut() in static mode.
    Partition(PartitionMode mode, std::uint32_t first, std::uint32_t last, std::uint64_t groups,
              std::size_t workers = 0);
    /// All nonces of groups without end, in dynamic mode. What was completed is forgotten: it is not searched again.
    Partition();

    /// From now on what is completed is kept for done(); what is in `done_before` counts as completed. Once, before
    /// there is a worker; not for a partition without end. Positions: of SearchRecord::done.
    void record(IntervalSet done_before);
    /// What is completed, by workers that are trusted.
    [[nodiscard]] IntervalSet done() const;

    // A partition that is fed has nothing of its own: it hands out what somebody brings, and ends with stop().
    /// Once, before there is a worker. It records.
    void expect_feed();
    /// Positions that nobody has done.
    void feed(Interval positions);
    /// Positions brought, up to the bound, that are not completed.
    [[nodiscard]] std::uint64_t backlog() const;
    /// Takes away what no worker has in hand.
    [[nodiscard]] std::vector<Interval> take_back();
    struct Changes {
        IntervalSet done;
        IntervalSet undone;  ///< told as done before, by a worker that is not trusted any more
    };
    /// Since the last call; then done() is empty.
    [[nodiscard]] Changes take_changes();

    /// One more worker, and its number. In static mode it gets a piece if it comes before cut(), and else takes part
    /// in what is given back.
    [[nodiscard]] std::size_t add_worker();
    /// Static mode hands out nothing before this: the nonces are cut into one piece for each of `owners`, in this
    /// order. Once; dynamic mode needs no cut.
    void cut(const std::vector<std::size_t>& owners);
    [[nodiscard]] bool is_cut() const;

    /// The next unit, of at most `max_nonces` (>= 1) nonces. Blocks before the cut, while the search or the worker is
    /// paused, and while others hold units that they may still give back. Nothing: everything is searched, or stop()
    /// was called. `speed`: the worker's, finite, in any measure that all share, so that near the end each gets its
    /// share of what is left; 0: not known.
    [[nodiscard]] std::optional<WorkUnit> take(std::size_t worker, std::uint64_t max_nonces, double speed = 0);

    // A unit that was taken ends, whole or in parts, with one of these three.
    void complete(std::size_t worker, const WorkUnit& part);
    /// Not searched. `by_another`: not to be given to this worker again as long as there is another one.
    void give_back(std::size_t worker, const WorkUnit& part, bool by_another);
    /// The worker takes no more units; others get what it held, and the rest of its piece. `distrust`: what it
    /// completed before is to be searched again, too.
    void quarantine(std::size_t worker, const std::optional<WorkUnit>& held, bool distrust);

    /// Units that start after this key need not be searched any more. Bounds only ever go down.
    void set_bound(UnitKey last_useful);
    void stop();
    /// No unit is handed out while there is any reason for it.
    void set_hold(Hold reason, bool held);
    /// Goes on at the start of this group; what is left of those before it is dropped. For dynamic mode.
    void skip_to(std::uint64_t group);
    /// A paused worker gets no unit. It keeps its piece (static).
    void set_worker_paused(std::size_t worker, bool paused);

    /// Made without an end: what was completed is never searched again.
    [[nodiscard]] bool endless() const { return endless_; }
    [[nodiscard]] bool stopped() const;
    /// Neither paused nor quarantined.
    [[nodiscard]] std::size_t workers_at_work() const;
    /// Everything (up to the bound) is searched.
    [[nodiscard]] bool finished() const;
    /// The worker's own nonces (static), or all of them (dynamic); a count of 0: it has none of its own.
    [[nodiscard]] NonceRange piece(std::size_t worker) const;

private:
    static constexpr std::size_t kMostRemembered = 1u << 16;  // intervals of a worker: 1 MiB
    static constexpr std::size_t kAnyWorker = static_cast<std::size_t>(-1);

    /// A piece of the nonces, searched group after group.
    struct Stream {
        std::size_t owner;  ///< the only worker that takes from it, or kAnyWorker
        NonceRange piece;
        std::uint64_t group = 0;
        std::uint64_t done = 0;  ///< nonces of the piece already handed out for this group
    };
    struct Returned {
        std::uint64_t count;  ///< of nonces; it may go on in the groups that follow
        std::size_t not_for;  ///< the worker that gave it back, or kAnyWorker
    };
    struct WorkerState {
        bool active = true;
        bool paused = false;
        double speed = 0;                 ///< 0: not known
        NonceRange piece;                 ///< its own (static)
        std::vector<Interval> completed;  ///< positions; neighbours merged

        [[nodiscard]] bool at_work() const { return active && !paused; }
    };

    std::optional<WorkUnit> next_returned(std::size_t worker, std::uint64_t max_nonces) GPUMINER_REQUIRES(mutex_);
    std::optional<WorkUnit> next_of_stream(Stream& stream, std::size_t worker, std::uint64_t max_nonces) const
        GPUMINER_REQUIRES(mutex_);
    Stream& or_last(Stream& own) GPUMINER_REQUIRES(mutex_);
    std::optional<WorkUnit> next_unit(std::size_t worker, std::uint64_t max_nonces) GPUMINER_REQUIRES(mutex_);
    void cut_pieces(const std::vector<std::size_t>& owners) GPUMINER_REQUIRES(mutex_);
    void skip_done(Stream& stream) const GPUMINER_REQUIRES(mutex_);
    std::uint64_t position(UnitKey key) const { return position(key.group, key.nonce); }
    std::uint64_t position(const Stream& stream) const {
        return position(stream.group, stream.piece.first + stream.done);
    }
    std::uint64_t position(std::uint64_t group, std::uint64_t nonce) const {
        return group * nonces_.count + (nonce - nonces_.first);
    }
    Interval interval(const WorkUnit& unit) const;
    /// The nonce that is `count` nonces after this one.
    UnitKey after(UnitKey key, std::uint64_t count) const;
    void set_speed(WorkerState& state, double speed) GPUMINER_REQUIRES(mutex_);
    double share(const WorkerState& state) const GPUMINER_REQUIRES(mutex_);
    bool others_at_work(std::size_t worker) const GPUMINER_REQUIRES(mutex_);
    bool has_work(const Stream& stream) const GPUMINER_REQUIRES(mutex_);
    bool all_searched() const GPUMINER_REQUIRES(mutex_);
    std::uint64_t remaining(const Stream& stream) const GPUMINER_REQUIRES(mutex_);
    void put_back(UnitKey key, std::uint64_t count, std::size_t not_for) GPUMINER_REQUIRES(mutex_);
    void remember(WorkerState& state, const WorkUnit& part) const GPUMINER_REQUIRES(mutex_);

    const PartitionMode mode_;
    const NonceRange nonces_;
    const std::uint64_t groups_;
    const bool endless_ = false;

    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    Condition changed_;
    std::size_t waiting_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< calls of take()
    bool is_cut_ GPUMINER_GUARDED_BY(mutex_) = false;
    std::vector<Stream> streams_ GPUMINER_GUARDED_BY(mutex_);
    std::multimap<UnitKey, Returned> returned_ GPUMINER_GUARDED_BY(mutex_);
    std::vector<WorkerState> workers_ GPUMINER_GUARDED_BY(mutex_);
    std::size_t active_ GPUMINER_GUARDED_BY(mutex_) = 0;
    int known_speeds_ GPUMINER_GUARDED_BY(mutex_) = 0;      ///< of workers that are active
    double sum_of_speeds_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< theirs
    /// Nonces (times groups) taken and neither completed nor given back.
    std::uint64_t in_flight_ GPUMINER_GUARDED_BY(mutex_) = 0;
    bool recording_ GPUMINER_GUARDED_BY(mutex_) = false;
    bool fed_ GPUMINER_GUARDED_BY(mutex_) = false;
    IntervalSet done_ GPUMINER_GUARDED_BY(mutex_);    ///< where it is recording; if fed, since take_changes()
    IntervalSet undone_ GPUMINER_GUARDED_BY(mutex_);  ///< if fed, since take_changes()
    std::optional<UnitKey> bound_ GPUMINER_GUARDED_BY(mutex_);
    std::uint64_t oldest_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< group; what comes back of earlier ones is dropped
    bool stopped_ GPUMINER_GUARDED_BY(mutex_) = false;
    unsigned holds_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< Hold values
};

}  // namespace gpuminer
