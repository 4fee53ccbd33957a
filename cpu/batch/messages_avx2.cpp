// Kernels for messages of any length with AVX2.
#include "cpu/batch/batch_avx2.hpp"
#include "cpu/batch/batch_lanes.hpp"
#include "cpu/batch/message_rounds.hpp"
#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {

void messages_avx2_single(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    compress_by_rounds(states, *blocks, count);
}
void messages_avx2_single_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    again_by_rounds(out, in, groups);
}
void messages_avx2_single_alone(std::uint8_t* out, const MessageBlocks& message) { alone_by_rounds(out, message); }

void messages_avx2(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count) {
    BatchLanes<Avx2Batch>::compress(states, blocks, count);
}
void messages_avx2_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<Avx2Batch>::again(out, in, groups);
}

}  // namespace gpuminer::cpu
