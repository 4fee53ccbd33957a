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
/// Another rank's. `told_to_stop`: whether a signal has come.
void follow(Communicator& communicator, RankWorker& worker, const std::function<bool()>& told_to_stop);

}  // namespace gpuminer::mpi
