// What gpuminer-mpi does in each rank: mine and grind, one search over all, and verify.
#pragma once

#include <functional>
#include <string>

#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/signals.hpp"
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

/// Collective, in each rank that has read its options. Returns the exit code, on other ranks than 0 that of success:
/// the job's is rank 0's. `begin` is called before agree().
[[nodiscard]] int run_in_rank(Communicator& communicator, const Options& options, SignalThread& signals,
                              const ProgramSetup& setup, const std::function<void()>& begin);

}  // namespace gpuminer::mpi
