// The blocks of a message that is hashed by itself, in turn. In an anonymous namespace, as everything that is compiled
// once per ISA (see scan_function.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/batch/messages_kernels.hpp"

namespace gpuminer::cpu {
namespace {

template <class Do>
inline __attribute__((always_inline)) void for_each_block(const MessageBlocks& message, Do act) {
    const std::uint8_t* block = message.whole;
    const std::size_t count = message.whole_count + message.end_count;
    for (std::size_t i = 0; i != count; ++i, block += 64) {
        if (i == message.whole_count) block = message.end;
        act(block);
    }
}

}  // namespace
}  // namespace gpuminer::cpu
