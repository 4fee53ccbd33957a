// Kernel for messages of any length with AVX2, eight at a time.
#include "cpu/batch/batch_avx2.hpp"
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {

void messages_avx2(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    BatchLanes<Avx2Batch>::compress(states, blocks, count);
}
void messages_avx2_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<Avx2Batch>::again(out, in, groups);
}

}  // namespace gpuminer::cpu
