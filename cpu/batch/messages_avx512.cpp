// Kernels for messages of any length with AVX-512.
#include "cpu/batch/batch_avx512.hpp"
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {

void messages_avx512(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    BatchLanes<Avx512Batch>::compress(states, blocks, count);
}
void messages_avx512_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<Avx512Batch>::again(out, in, groups);
}

}  // namespace gpuminer::cpu
