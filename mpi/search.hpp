// gpuminer-mpi mine and grind: one search over all ranks, or several, one after the other.
#pragma once

#include <functional>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/run/setup.hpp"
#include "cli/run/signals.hpp"
#include "host/search/search_types.hpp"
#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

/// Rank 0's part: `begin` (agreement.hpp) with its start, then all searches. Returns the exit code.
[[nodiscard]] int lead_searches(Communicator& communicator, const Options& options, SignalThread& signals,
                                const ProgramSetup& setup, const std::function<void()>& begin);
/// Another rank's.
void follow_searches(Communicator& communicator, const Options& options, SignalThread& signals,
                     const ProgramSetup& setup, const std::function<void()>& begin);

}  // namespace gpuminer::mpi
