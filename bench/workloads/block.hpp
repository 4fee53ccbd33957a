// The workload `block`: all hashes of a block's transactions, together and one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/workloads/workload.hpp"
#include "cpu/batch/messages.hpp"
#include "cpu/batch/sha256d64.hpp"

namespace gpuminer::bench {

/// What hashes them; tests pass what is wrong.
struct BlockHashes {
    void (*messages)(std::uint8_t* out, std::span<const Message> messages) = sha256d_messages;
    void (*pairs)(std::uint8_t* out, const std::uint8_t* in, std::size_t count) = sha256d64;
};

/// 2,000 transactions, whose sizes are those of a real block.
[[nodiscard]] BlockTransactions usual_block();
/// Transaction ids, witness ids, merkle root: each by batches, by this program's fastest kernel for one message, and by
/// OpenSSL. Throws VerificationError where one gives other hashes than OpenSSL, in any round.
[[nodiscard]] Rows block_rows(const Setting& setting, const BlockTransactions& block, const BlockHashes& hashes = {});

}  // namespace gpuminer::bench
