// `gpuminer-mpi verify`: headers distributed to all ranks, results printed by rank 0 in the headers' order.
#pragma once

#include <vector>

#include "cli/options/options.hpp"
#include "host/block/header.hpp"
#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

/// Rank 0's part, of whole headers. Whether all are valid. `several`: as verify_one() takes it.
[[nodiscard]] bool lead_verify(Communicator& communicator, const Options& options,
                               const std::vector<HeaderInput>& headers, bool several);
/// Another rank's.
void follow_verify(Communicator& communicator, const Options& options);

}  // namespace gpuminer::mpi
