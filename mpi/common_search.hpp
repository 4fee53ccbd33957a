// The search over all ranks as the command line sees it, on rank 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/mutex.hpp"
#include "host/notices.hpp"
#include "host/search/search_control.hpp"
#include "mpi/coordinator.hpp"

namespace gpuminer::mpi {

/// The thread that calls MPI tells it what there is, and asks what is wished; others use it as a search.
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
