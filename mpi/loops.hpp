// The main threads' loops during a search: looking for messages, and keeping devices in work.
#pragma once

#include <functional>
#include <string>

#include "mpi/communicator.hpp"
#include "mpi/coordinator.hpp"
#include "mpi/rank_worker.hpp"

namespace gpuminer::mpi {

/// What rank 0's main thread does with what it hears.
struct LeaderActions {
    std::function<Coordinator::Wish()> wish;  ///< asked each time
    std::function<void()> heard;              ///< called each time, after what ranks have told
    std::function<std::string()> report;      ///< its own RankReport, as bytes, once it has ended
};
/// Rank 0's, until all ranks have ended. False: some have not, long after they were told to.
[[nodiscard]] bool lead(Communicator& communicator, RankWorker& worker, Coordinator& coordinator,
                        const LeaderActions& actions);
/// Another rank's. `stop_signal`: that has come; 0: none. `report`: as the leader's.
void follow(Communicator& communicator, RankWorker& worker, const std::function<int()>& stop_signal,
            const std::function<std::string()>& report);

}  // namespace gpuminer::mpi
