// Batches of double SHA-256 for every CPU: one input at a time.
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/batch_scalar.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"

namespace gpuminer::cpu {

void sha256d64_scalar(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<ScalarBatch>::run(out, in, groups);
}

}  // namespace gpuminer::cpu
