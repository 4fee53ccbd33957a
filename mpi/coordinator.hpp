// Rank 0's side of the search over all ranks: takes what they tell, and says what they are to be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/search_ledger.hpp"

namespace gpuminer::mpi {

/// Used by one thread.
class Coordinator {
public:
    Coordinator(SearchLedger& ledger, unsigned ranks) : ledger_(ledger), ranks_(ranks) {}

    void take(unsigned rank, RankNews news);
    struct Wish {
        bool paused = false;
        bool stopped = false;
    };
    /// What is to be sent now, by rank. `wish`: the user's.
    [[nodiscard]] std::vector<std::pair<unsigned, RankOrders>> due(const Wish& wish);

    /// All ranks have told their last.
    [[nodiscard]] bool ended() const;
    /// No rank has a device, and there is work left.
    [[nodiscard]] bool failed() const { return ranks_at_work() == 0 && !ledger_.finished(); }
    /// Why no rank has ever had a device, of one of them; empty: one had.
    [[nodiscard]] std::string no_device() const;
    [[nodiscard]] bool told_to_stop() const { return told_to_stop_; }
    /// Of all ranks so far.
    [[nodiscard]] std::uint64_t hashes() const;
    [[nodiscard]] const std::optional<Hash256>& best() const { return best_; }
    /// With the rank's number before each.
    [[nodiscard]] std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

private:
    struct Rank {
        std::uint64_t hashes = 0;
        std::uint64_t wants = 0;
        bool looks_on = false;
        bool ended = false;
        std::string no_device;
    };

    [[nodiscard]] unsigned ranks_at_work() const;
    void share_out(std::vector<RankOrders>& orders);

    SearchLedger& ledger_;
    std::vector<Rank> ranks_;
    std::optional<UnitKey> told_bound_;
    bool told_paused_ = false;
    unsigned told_ranks_ = 0;
    bool told_over_ = false;
    bool told_to_stop_ = false;
    std::optional<Hash256> best_;
    std::vector<Notice> notices_;
};

}  // namespace gpuminer::mpi
