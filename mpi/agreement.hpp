// How a job begins, together or not at all, and how it ends where one rank cannot go on.
#pragma once

#include <functional>
#include <string>

#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

struct Agreement {
    bool first_failed = false;  ///< rank 0 is one of those that cannot begin
    bool failed = false;        ///< some rank cannot
    std::string start;          ///< what rank 0 says to all; empty: nothing is to be begun
};
/// Whether all ranks can begin, which each says once. Collective, also for one that cannot: `code` is its exit code,
/// else 0. `start`: rank 0's.
[[nodiscard]] Agreement agree(Communicator& communicator, int code, const std::string& start);

/// Calls `begin`, then agree(), in a rank that can begin. Returns rank 0's start; empty: nothing is to be begun, as
/// some rank cannot. Then it throws InputError in rank 0.
[[nodiscard]] std::string begin_together(Communicator& communicator, const std::function<void()>& begin,
                                         const std::string& start);

/// What goes wrong with one rank in the middle ends the job, as the others would wait for it: an exception is reported,
/// and does not come back. But for NoDeviceError, which is of all ranks, when all have ended.
int or_end_the_job(Communicator& communicator, const std::function<int()>& action);

}  // namespace gpuminer::mpi
