// One rank's part in the search: takes work for its devices, tells what they did, and does what rank 0 says.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "mpi/group_size.hpp"
#include "mpi/messages.hpp"
#include "mpi/rank_search.hpp"
#include "mpi/remaining_work.hpp"

namespace gpuminer::mpi {

/// Used by one thread, the one that may call MPI.
class RankWorker {
public:
    using Clock = std::chrono::steady_clock;
    /// Adds to the common cursor, and returns what it was before.
    using Take = std::function<std::uint64_t(std::uint64_t)>;

    RankWorker(RankSearch& search, const RankStart& start, unsigned ranks, Take take);

    /// Takes work where there is little left. Returns what rank 0 is to be told; empty: nothing yet.
    [[nodiscard]] std::optional<RankNews> step(Clock::time_point now, bool told_to_stop);
    void obey(const RankOrders& orders);

    /// It has told its last.
    [[nodiscard]] bool ended() const { return ended_; }
    /// Once it has ended.
    [[nodiscard]] const SearchReport& report() const { return report_; }

private:
    void take_work();
    void collect(RankNews& news);
    [[nodiscard]] bool is_urgent(const RankNews& news) const;

    RankSearch& search_;
    const RemainingWork work_;
    const std::uint64_t nonces_;
    const std::uint32_t first_nonce_;
    const Take take_;
    unsigned ranks_;
    GroupSize size_;
    std::uint64_t completed_ = 0;  ///< positions
    std::uint64_t left_;           ///< of the work, as far as this rank knows
    std::optional<UnitKey> bound_;
    bool at_the_end_ = false;  ///< of the common cursor
    bool asked_ = false;
    bool looks_on_ = false;
    bool told_to_stop_ = false;
    bool over_ = false;
    bool ended_ = false;
    RankNews news_;  ///< not told yet
    Clock::time_point told_at_;
    SearchReport report_;
};

}  // namespace gpuminer::mpi
