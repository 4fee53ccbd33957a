// Kernels for messages of any length for every CPU.
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/batch_scalar.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {

void messages_scalar(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    BatchLanes<ScalarBatch>::compress(states, blocks, count);
}
void messages_scalar_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<ScalarBatch>::again(out, in, groups);
}
void messages_scalar_alone(std::uint8_t* out, const MessageBlocks& message) {
    BatchLanes<ScalarBatch>::hash_alone(out, message);
}

}  // namespace gpuminer::cpu
