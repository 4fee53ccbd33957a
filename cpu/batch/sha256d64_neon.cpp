// Batches of double SHA-256 with NEON.
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/batch_neon.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"

namespace gpuminer::cpu {

void sha256d64_neon(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<NeonBatch>::run(out, in, groups);
}

}  // namespace gpuminer::cpu
