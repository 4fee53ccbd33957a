// Serialised transactions (BIP 144): their parts and ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/block/hash256.hpp"
#include "net/bitcoin/serialization.hpp"

namespace gpuminer::net {

// Of fields of a serialised transaction, in bytes: the first, what an input spends, the last.
inline constexpr std::size_t kVersionSize = 4;
inline constexpr std::size_t kOutpointSize = 36;
inline constexpr std::size_t kLockTimeSize = 4;

struct TransactionIds {
    Digest txid{};   ///< hash without witnesses
    Digest wtxid{};  ///< hash of all of it (BIP 141); the same where there is no witness
    [[nodiscard]] bool has_witness() const { return txid != wtxid; }
};

/// Where the parts of a transaction lie.
struct TransactionParts {
    std::span<const std::uint8_t> whole, version, body, lock_time;  ///< body: inputs and outputs
    bool is_extended = false;                                       ///< has witnesses

    [[nodiscard]] Bytes without_witness() const;
    [[nodiscard]] TransactionIds ids() const;
};

/// The transaction that comes next. Throws NetworkError, as transaction_ids() does, but for what is left over.
[[nodiscard]] TransactionParts read_transaction(ByteReader& reader);

/// Of exactly one transaction. Throws NetworkError "it is truncated", "… bytes are left over": the part of a sentence
/// that says what is wrong.
[[nodiscard]] TransactionIds transaction_ids(std::span<const std::uint8_t> transaction);

}  // namespace gpuminer::net
