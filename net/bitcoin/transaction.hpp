// Serialised transactions (BIP 144), and writing the numbers that they and blocks are made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/bitcoin/digest.hpp"

namespace gpuminer::net {

using Bytes = std::vector<std::uint8_t>;

void append(Bytes& out, std::span<const std::uint8_t> bytes);
/// The lowest `size` bytes of `value`, little-endian.
void append_little_endian(Bytes& out, std::uint64_t value, std::size_t size);
/// Bitcoin's variable-length integer: 1, 3, 5 or 9 bytes.
void append_compact_size(Bytes& out, std::uint64_t value);

struct TransactionIds {
    Digest txid{};   ///< hash without witnesses
    Digest wtxid{};  ///< hash of all of it (BIP 141); the same where there is no witness
    [[nodiscard]] bool has_witness() const { return txid != wtxid; }
};

/// Of exactly one transaction. Throws NetworkError "it is cut off", "… bytes are left over": the part of a sentence
/// that says what is wrong.
[[nodiscard]] TransactionIds transaction_ids(std::span<const std::uint8_t> transaction);

}  // namespace gpuminer::net
