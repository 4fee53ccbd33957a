// Batches of double SHA-256 with AVX-512.
#include "cpu/batch/batch_avx512.hpp"
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"

namespace gpuminer::cpu {

void sha256d64_avx512(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<Avx512Batch>::run(out, in, groups);
}

}  // namespace gpuminer::cpu
