// `gpuminer-mpi verify`: headers dealt out to all ranks, and what is said of them printed by rank 0, in their order.
#pragma once

#include <vector>

#include "cli/options.hpp"
#include "host/block/header.hpp"
#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

/// Rank 0's part, of whole headers. Whether all are valid. `several`: as verify_one() takes it.
[[nodiscard]] bool lead_verify(Communicator& communicator, const Options& options,
                               const std::vector<HeaderInput>& headers, bool several);
/// Another rank's.
void follow_verify(Communicator& communicator, const Options& options);

}  // namespace gpuminer::mpi
