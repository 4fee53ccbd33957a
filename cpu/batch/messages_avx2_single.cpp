// Kernel for one message of any length with AVX2 and BMI2, apart from that for eight, which does without BMI2.
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

}  // namespace gpuminer::cpu
