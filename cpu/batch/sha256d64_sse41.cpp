// Batches of double SHA-256 with SSE4.1.
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/batch_sse41.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"

namespace gpuminer::cpu {

void sha256d64_sse41(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<Sse41Batch>::run(out, in, groups);
}

}  // namespace gpuminer::cpu
