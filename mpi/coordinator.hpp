// Rank 0's side of the search over all ranks: receives their news and issues their orders.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/mutex.hpp"
#include "host/notices.hpp"
#include "host/search/search_control.hpp"
#include "mpi/messages.hpp"
#include "mpi/search_ledger.hpp"

namespace gpuminer::mpi {

/// Used by one thread.
class Coordinator {
public:
    /// Takes so much from the common cursor, and returns what it was before.
    using Take = std::function<std::uint64_t(std::uint64_t)>;

    /// `take_rest`: for --partition static, where all that nobody has taken yet is cut into a piece for each rank, once
    /// the rates are measured; until then they take from the cursor. Empty: they always do (dynamic).
    Coordinator(SearchLedger& ledger, unsigned ranks, Take take_rest = {})
        : ledger_(ledger), ranks_(ranks), left_(ledger.positions() - ledger.done()), take_rest_(std::move(take_rest)) {}

    using Clock = std::chrono::steady_clock;

    /// What a rank has told. Hits and work done wait for book().
    void take(unsigned rank, RankNews news);
    /// Enters hits and work done in the ledger, until then at most: a hit is hashed again, which may take its time.
    void book(Clock::time_point until = Clock::time_point::max());
    /// What is not booked counts as not searched.
    void forget();
    struct Wish {
        bool paused = false;
        bool stopped = false;
    };
    /// What is to be sent now, by rank. `wish`: the user's.
    [[nodiscard]] std::vector<std::pair<unsigned, RankOrders>> due(const Wish& wish);

    /// All are told to stop.
    [[nodiscard]] bool told_over() const { return told_over_; }
    /// All ranks have told their last, and it is booked.
    [[nodiscard]] bool ended() const;
    /// No rank has a device, and there is work left.
    [[nodiscard]] bool failed() const { return ranks_at_work() == 0 && !ledger_.finished(); }
    /// Why no rank has ever had a device, of one of them; empty: one had.
    [[nodiscard]] std::string no_device() const;
    /// The signal that a rank was told to stop by, the first one; 0: none was.
    [[nodiscard]] int stop_signal() const { return stop_signal_; }
    /// Of all ranks so far.
    [[nodiscard]] std::uint64_t hashes() const;
    [[nodiscard]] const std::optional<Hash256>& best() const { return best_; }
    /// RankReports by rank, as bytes. One that has not told its last has what it told of its hashes.
    [[nodiscard]] std::vector<std::string> reports() const;
    /// Those that have not told their last, as text: "rank 1".
    [[nodiscard]] std::string silent_ranks() const;
    /// With the rank's number before each.
    [[nodiscard]] std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

private:
    struct Rank {
        std::uint64_t hashes = 0;
        std::uint64_t wants = 0;
        double rate = 0;  ///< positions a second, to be cut by; 0: not measured yet
        bool looks_on = false;
        bool ended = false;
        std::string no_device;
        std::string report;  ///< empty: it has not ended
    };

    [[nodiscard]] unsigned ranks_at_work() const;
    [[nodiscard]] bool can_cut() const;
    void cut(std::vector<RankOrders>& orders);
    void share_out(std::vector<RankOrders>& orders);
    [[nodiscard]] std::vector<Interval> take_back(std::uint64_t count);

    SearchLedger& ledger_;
    std::vector<Rank> ranks_;
    const std::uint64_t left_;  ///< positions, when the search began
    Take take_rest_;            ///< empty: dynamic, or it is cut already
    std::optional<UnitKey> told_bound_;
    bool told_paused_ = false;
    unsigned told_ranks_ = 0;
    bool told_over_ = false;
    int stop_signal_ = 0;
    std::optional<Hash256> best_;
    std::vector<Notice> notices_;
    IntervalSet given_back_;      ///< taken and not done, by ranks that have no device left
    std::deque<RankNews> told_;   ///< not booked yet
    std::size_t hits_taken_ = 0;  ///< of the first of them
};

/// The search over all ranks as the command line sees it. The thread that calls MPI tells it what there is, and asks
/// what is wished; others use it as a search.
class CommonSearch final : public SearchControl {
public:
    /// Hashes in all, and those of them that are done already.
    CommonSearch(std::uint64_t total, std::uint64_t before) : total_(total), before_(before) {}

    void stop(Ending why) override;
    void set_paused(bool paused, PauseReason reason) override;
    [[nodiscard]] SearchProgress progress() const override;
    [[nodiscard]] std::vector<Notice> take_notices() override { return notices_.take(); }

    // For the thread that calls MPI:
    [[nodiscard]] Coordinator::Wish wish() const;
    [[nodiscard]] std::optional<Ending> stop_reason() const;
    void update(std::uint64_t hashes, const std::optional<Hash256>& best, std::vector<Notice> notices);
    [[nodiscard]] double seconds() const;

private:
    using Clock = std::chrono::steady_clock;

    const std::uint64_t total_, before_;
    const Clock::time_point started_ = Clock::now();
    Notices notices_;
    mutable Mutex mutex_;
    std::optional<Ending> stop_reason_ GPUMINER_GUARDED_BY(mutex_);
    unsigned paused_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< PauseReasons, added up
    std::uint64_t hashes_ GPUMINER_GUARDED_BY(mutex_) = 0;
    std::optional<Hash256> best_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer::mpi
