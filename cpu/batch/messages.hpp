// Batches of double SHA-256 over messages of any length: transactions, by which a block's are identified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuminer {

/// Bytes of any alignment. `data` is not read where `size` is 0. (2^61 bytes, whose number of bits SHA-256 cannot hold,
/// do not exist.)
struct Message {
    const std::uint8_t* data;
    std::size_t size;
};

/// SHA-256(SHA-256(message)) of each, in the order of the messages, whatever the order in which they are hashed. `out`
/// gets 32 bytes for each without gaps, in the order in which SHA-256 gives them ("internal", not as block explorers
/// print them), and overlaps no message. Never fails and allocates nothing, with some 20 KB of stack; any number of
/// threads may call it, and a child after a fork.
///
/// Uses the instruction sets that this CPU has, by the number of messages: the first call times them (about half a
/// millisecond, once per process).
void sha256d_messages(std::uint8_t* out, std::span<const Message> messages) noexcept;

}  // namespace gpuminer
