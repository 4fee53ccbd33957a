// Kernels for messages of any length with SSE4.1.
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/batch_sse41.hpp"
#include "cpu/batch/message_rounds.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {

void messages_sse41_single(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    compress_by_rounds(states, *blocks, count);
}
void messages_sse41_single_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    again_by_rounds(out, in, groups);
}
void messages_sse41_single_alone(std::uint8_t* out, const MessageBlocks& message) { alone_by_rounds(out, message); }

void messages_sse41(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    BatchLanes<Sse41Batch>::compress(states, blocks, count);
}
void messages_sse41_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<Sse41Batch>::again(out, in, groups);
}

}  // namespace gpuminer::cpu
