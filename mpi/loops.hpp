// What the main threads do while a search goes on: look for messages, and see to it that devices have work.
#pragma once

#include <functional>

#include "mpi/communicator.hpp"
#include "mpi/coordinator.hpp"
#include "mpi/rank_worker.hpp"

namespace gpuminer::mpi {

/// Rank 0's, until all ranks have ended. `wish`: asked each time; `heard`: called each time, after what ranks have
/// told.
void lead(Communicator& communicator, RankWorker& worker, Coordinator& coordinator,
          const std::function<Coordinator::Wish()>& wish, const std::function<void()>& heard);
/// Another rank's. `stop_signal`: that has come; 0: none.
void follow(Communicator& communicator, RankWorker& worker, const std::function<int()>& stop_signal);

}  // namespace gpuminer::mpi
