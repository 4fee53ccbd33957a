// Kernels for messages of any length with NEON.
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/batch_neon.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {

void messages_neon(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    BatchLanes<NeonBatch>::compress(states, blocks, count);
}
void messages_neon_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<NeonBatch>::again(out, in, groups);
}

}  // namespace gpuminer::cpu
