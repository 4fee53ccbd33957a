// `gpuminer-mpi bench`: the nonce search of all ranks at the same time.
#pragma once

#include <functional>

#include "cli/options/options.hpp"
#include "cli/run/signals.hpp"
#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

/// Rank 0's part: `begin` (agreement.hpp), then the rounds. Returns the exit code. Throws InputError for a workload
/// that is one machine's.
[[nodiscard]] int lead_bench(Communicator& communicator, const Options& options, SignalThread& signals,
                             const std::function<void()>& begin);
/// Another rank's.
void follow_bench(Communicator& communicator, const Options& options, SignalThread& signals,
                  const std::function<void()>& begin);

}  // namespace gpuminer::mpi
