// One rank's part in the search: takes work for its devices, reports their progress, and follows rank 0's orders.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/rank_search.hpp"
#include "mpi/shares.hpp"

namespace gpuminer::mpi {

/// Used by one thread, the one that may call MPI.
class RankWorker {
public:
    using Clock = std::chrono::steady_clock;
    /// Adds to the common cursor, and returns what it was before.
    using Take = std::function<std::uint64_t(std::uint64_t)>;

    /// The first group of all: a fraction of a second's work of one slow thread.
    static constexpr std::uint64_t kFirstHashes = std::uint64_t{1} << 16;

    RankWorker(RankSearch& search, const RankStart& start, unsigned ranks, Take take,
               std::uint64_t first_hashes = kFirstHashes);

    /// Takes work where there is little left. Returns what rank 0 is to be told; empty: nothing yet.
    /// `stop_signal`: that has come to this rank; 0: none.
    [[nodiscard]] std::optional<RankNews> step(Clock::time_point now, int stop_signal);
    void obey(const RankOrders& orders);

    /// It has told its last.
    [[nodiscard]] bool ended() const { return ended_; }
    /// Once it has ended.
    [[nodiscard]] const SearchReport& report() const { return report_; }

private:
    void take_work(Clock::time_point now);
    [[nodiscard]] std::vector<Interval> next_group(Clock::time_point now);
    void give_back_all();
    void collect(RankNews& news);
    [[nodiscard]] bool is_urgent(const RankNews& news) const;

    RankSearch& search_;
    const WorkSpace space_;
    const RemainingWork work_;
    const Take take_;
    unsigned ranks_;
    GroupSize size_;
    std::uint64_t completed_ = 0;  ///< positions
    std::uint64_t left_;           ///< of the work, as far as this rank knows
    UnitKey bound_ = kNoBound;
    const bool is_static_;
    CutRate cut_rate_;               ///< static
    std::optional<Interval> piece_;  ///< static, once it is cut: what is left of this rank's own part
    bool at_the_end_ = false;        ///< of the common cursor, or of the piece
    bool asked_ = false;
    bool looks_on_ = false;
    int stop_signal_ = 0;
    bool over_ = false;
    bool ended_ = false;
    RankNews news_;  ///< not told yet
    Clock::time_point told_at_;
    SearchReport report_;
};

}  // namespace gpuminer::mpi
