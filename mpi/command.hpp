// The commands of gpuminer-mpi in each rank: mine and grind, bench, verify.
#pragma once

#include <functional>

#include "cli/options/options.hpp"
#include "cli/run/setup.hpp"
#include "cli/run/signals.hpp"
#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

/// Collective, in each rank that has read its options. Returns the exit code, on other ranks than 0 that of success:
/// the job's is rank 0's. `begin` is called before agree().
[[nodiscard]] int run_in_rank(Communicator& communicator, const Options& options, SignalThread& signals,
                              const ProgramSetup& setup, const std::function<void()>& begin);

}  // namespace gpuminer::mpi
