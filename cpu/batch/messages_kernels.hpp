// The kernels of sha256d_messages(), and the choice among them by number of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "cpu/batch/messages.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/batch/width_plan.hpp"
#include "cpu/machine/features.hpp"

namespace gpuminer::cpu {

/// Compresses `count` blocks, which lie one after the other from blocks[i] on, into the state of each message i.
/// `states`, eight words for each message in the kernel's StateLayout, is aligned to 64 bytes.
using CompressFunction = void (*)(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count);

/// A message by itself: its whole blocks where they are, and those of its end with the padding. Both of its hashes are
/// one call, so that no state is stored and loaded again in between.
struct MessageBlocks {
    const std::uint8_t* whole;
    std::size_t whole_count;
    const std::uint8_t* end;
    std::size_t end_count;  ///< 1 or 2
};
using AloneFunction = void (*)(std::uint8_t* out, const MessageBlocks& message);

// One file per ISA (isa_list.inc), as for sha256d64(). Callable only where the CPU has the ISA.
#define GPUMINER_MESSAGES(isa, function, need, width, layout)                                   \
    void function(std::uint32_t* states, const std::uint8_t* const* blocks, std::size_t count); \
    void function##_again(std::uint8_t* out, const std::uint8_t* in, std::size_t groups);
#define GPUMINER_MESSAGE(isa, function, need, layout) \
    GPUMINER_MESSAGES(isa, function, need, 1, layout) \
    void function##_alone(std::uint8_t* out, const MessageBlocks& message);
#include "cpu/isa_list.inc"

/// Where a message's state is among those of all that are hashed together.
enum class StateLayout : unsigned char {
    kLanes,  ///< word by word, each of all messages
    kShaNi,  ///< message by message: F E B A, H G D C
    kSha2    ///< message by message: A … H
};

struct MessageKernel {
    const char* isa;    ///< "avx2": as in isa_list.inc
    std::size_t width;  ///< messages at a time
    StateLayout layout;
    CompressFunction compress;
    AloneFunction alone;    ///< null where `width` is not 1
    bool Features::*needs;  ///< null: every CPU has it
    const char* missing;    ///< why a CPU without it cannot run it

    [[nodiscard]] bool usable(const Features& features) const { return needs == nullptr || features.*needs; }
};

/// Every kernel, the narrowest first.
[[nodiscard]] std::span<const MessageKernel> message_kernels();
/// The second hash in the same order: of digests, 32 bytes each.
[[nodiscard]] std::span<const BatchKernel> digest_kernels();

/// Ways to hash messages: places in these tables, by the number of messages still to be hashed.
struct MessagePlan {
    WidthPlan messages, digests;
};
/// Times the kernels that these features allow, once each, and plans with that.
[[nodiscard]] MessagePlan measured_message_plan(const Features& features);
/// One kernel alone.
[[nodiscard]] MessagePlan plan_with(std::size_t kernel);

/// sha256d_messages() by a plan.
void hash_messages(const MessagePlan& plan, std::uint8_t* out, std::span<const Message> messages) noexcept;

}  // namespace gpuminer::cpu
