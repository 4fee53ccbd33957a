// Partition of a search space among workers: hands out units of work so that every nonce of every version group is
// searched once, and takes back what a device could not finish.
//
// It is the lock and the waiting around three plain objects: a cursor for what nobody has had, what came back, and an
// account of what is done. One set of intervals for all three would not do. A static piece of a search over versions is
// not an interval but one in each group, of which there may be 2^24: a stream is one entry for all of them. And the
// groups of a stream of jobs are numbered beyond what positions of 64 bits hold (job_stream.hpp): what comes back is
// kept by group and nonce.
//
// Beside it is the account that holds it where the hash rate is limited.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "host/mutex.hpp"
#include "host/search/returned_work.hpp"
#include "host/search/search_types.hpp"
#include "host/search/work_account.hpp"
#include "host/search/work_cursor.hpp"
#include "host/search/work_unit.hpp"

namespace gpuminer {

/// A reason why no worker gets a unit for now.
enum class Hold : unsigned {
    kPaused = 1,  ///< by the user
    kNoJob = 2,   ///< there is nothing to be searched
    kLimit = 4,   ///< the devices are faster than they may be
};

/// All members may be called from any thread.
class Partition {
public:
    /// The whole space. `done`: what of it is completed already, from which on done() records; nothing: it does not.
    Partition(PartitionMode mode, const WorkSpace& space, std::optional<IntervalSet> done = {});
    /// Nothing but what feed() brings, until stop(). It records.
    explicit Partition(const WorkSpace& space);
    /// All nonces of groups without end, in dynamic mode. What was completed is forgotten: it is not searched again.
    Partition();

    /// One more worker, and its number. In static mode it gets a piece if it comes before cut(), and else takes part
    /// in what is given back.
    [[nodiscard]] std::size_t add_worker();
    /// Static mode hands out nothing before this: the nonces are cut into one piece for each of `owners`, in this
    /// order. Once; in other modes it does nothing.
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
    /// completed before is to be searched again, too, unless it is forgotten.
    void quarantine(std::size_t worker, const std::optional<WorkUnit>& held, bool distrust);

    /// Units that start after this key need not be searched any more. Bounds only ever go down.
    void set_bound(UnitKey last_useful);
    void stop();
    /// No unit is handed out while there is any reason for it.
    void set_hold(Hold reason, bool held);
    /// Goes on at the start of this group; what is left of those before it is dropped. Not for static mode before the
    /// cut, which begins at group 0.
    void skip_to(std::uint64_t group);
    /// A paused worker gets no unit. It keeps its piece (static).
    void set_worker_paused(std::size_t worker, bool paused);

    /// Positions that nobody has done: they are handed out as if a worker had given them back.
    void feed(Interval positions);
    /// Positions given back, fed or in hand, up to the bound, that are not completed.
    [[nodiscard]] std::uint64_t backlog() const;
    /// Takes away what was given back or fed, and nobody has in hand.
    [[nodiscard]] std::vector<Interval> take_back();

    /// What is completed, by workers that are trusted, as far as it is recorded.
    [[nodiscard]] IntervalSet done() const;
    /// Of one that is fed: what was recorded since the last call; then done() is empty.
    [[nodiscard]] DoneWork take_changes();

    /// Made without an end: what was completed is never searched again.
    [[nodiscard]] bool endless() const;
    [[nodiscard]] bool stopped() const;
    /// Neither paused nor quarantined.
    [[nodiscard]] std::size_t workers_at_work() const;
    /// Everything (up to the bound) is searched.
    [[nodiscard]] bool finished() const;
    /// The worker's own nonces (static), or all of them; a count of 0: it has none of its own.
    [[nodiscard]] NonceRange piece(std::size_t worker) const;

private:
    struct WorkerState {
        bool active = true;
        bool paused = false;
        double speed = 0;  ///< 0: not known

        [[nodiscard]] bool at_work() const { return active && !paused; }
    };

    std::optional<WorkUnit> next_unit(std::size_t worker, std::uint64_t max_nonces) GPUMINER_REQUIRES(mutex_);
    void set_speed(WorkerState& state, double speed) GPUMINER_REQUIRES(mutex_);
    std::optional<double> share(const WorkerState& state) const GPUMINER_REQUIRES(mutex_);
    bool is_alone(std::size_t worker) const GPUMINER_REQUIRES(mutex_);
    bool all_searched() const GPUMINER_REQUIRES(mutex_);

    const WorkSpace space_;

    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    Condition changed_;
    std::size_t waiting_ GPUMINER_GUARDED_BY(mutex_) = 0;             ///< calls of take()
    std::optional<WorkAccount> account_ GPUMINER_GUARDED_BY(mutex_);  ///< empty: there is no end
    std::optional<WorkCursor> cursor_ GPUMINER_GUARDED_BY(mutex_);    ///< empty: it is fed
    ReturnedWork returned_ GPUMINER_GUARDED_BY(mutex_);
    std::vector<WorkerState> workers_ GPUMINER_GUARDED_BY(mutex_);
    std::size_t active_ GPUMINER_GUARDED_BY(mutex_) = 0;
    int known_speeds_ GPUMINER_GUARDED_BY(mutex_) = 0;      ///< of workers that are active
    double sum_of_speeds_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< theirs
    /// Nonces (times groups) taken and neither completed nor given back.
    std::uint64_t in_flight_ GPUMINER_GUARDED_BY(mutex_) = 0;
    bool stopped_ GPUMINER_GUARDED_BY(mutex_) = false;
    unsigned holds_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< Hold values
};

/// Account of the hashes that a search may still do, if its hash rate is limited. They are charged when a unit of them
/// begins, so that the account is overdrawn by one unit for each worker at most. All members may be called from any
/// thread.
class HashBudget {
public:
    explicit HashBudget(Partition& partition) : partition_(partition) {}

    /// Adds `hashes`; at most `most` (> 0) are kept. True: the account was overdrawn.
    bool grant(double hashes, double most);
    void charge(std::uint64_t hashes);
    /// Of a unit at most, so that all workers together have no more than `most` in flight.
    [[nodiscard]] std::uint64_t unit_hashes() const;

private:
    static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

    Partition& partition_;
    std::atomic<std::uint64_t> most_ = kUnlimited;

    Mutex mutex_;  ///< guards the partition's Hold::kLimit, too; the partition's mutex is taken within it
    double account_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< negative: overdrawn
};

}  // namespace gpuminer
