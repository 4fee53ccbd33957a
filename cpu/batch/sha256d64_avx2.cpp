// Batches of double SHA-256 with AVX2.
#include "cpu/batch/batch_avx2.hpp"
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"

namespace gpuminer::cpu {

void sha256d64_avx2(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<Avx2Batch>::run(out, in, groups);
}

}  // namespace gpuminer::cpu
