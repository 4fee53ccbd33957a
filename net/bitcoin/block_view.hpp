// A view of a block's transactions: their merkle root, compared with the header's, and the coinbase's height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/block/header.hpp"
#include "net/bitcoin/transaction.hpp"

namespace gpuminer::net {

struct BlockView {
    std::size_t transactions = 0;
    std::optional<std::uint32_t> height;  ///< in the coinbase (BIP 34). Empty: none, as in blocks of version 1
    std::optional<bool> bip54;            ///< follows_bip54() of the coinbase; empty without a height, too
};

/// `serialised`: the number of transactions and they, as in the block behind its header. Throws InputError where they
/// cannot be read, and where there are none.
[[nodiscard]] std::vector<TransactionParts> read_transactions(std::span<const std::uint8_t> serialised);

/// `transactions`: their number and they, as serialised in the block behind its header. Throws InputError where they
/// cannot be read, or do not have the merkle root that the header says.
[[nodiscard]] BlockView view_block(const BlockHeader& header, std::span<const std::uint8_t> transactions);

}  // namespace gpuminer::net
