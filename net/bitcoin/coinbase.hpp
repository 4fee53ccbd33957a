// The transaction that pays the miner, with a place for an extranonce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "net/bitcoin/transaction.hpp"

namespace gpuminer::net {

struct CoinbaseParts {
    std::uint32_t height = 0;         ///< BIP 34; at least 1
    std::size_t extranonce_size = 8;  ///< bytes, at most 8; 0: no extranonce
    std::string signature;            ///< any bytes; empty: none
    Bytes flags;                      ///< script, as the node gave it (coinbaseaux)
    std::uint64_t value = 0;          ///< satoshis
    Bytes script;                     ///< scriptPubKey that gets them
    std::optional<Digest>
        witness_commitment;  ///< BIP 141: then there is a second output, and a witness of 32 zero bytes
};

/// Version 2, with nSequence and nLockTime as BIP 54 asks for them. Its input script is: height, extranonce (each
/// pushed), signature (pushed), flags.
class Coinbase {
public:
    /// Throws InputError where the input script would be longer than the 100 bytes that consensus allows: how much
    /// room there is for the signature.
    explicit Coinbase(const CoinbaseParts& parts);

    /// As serialised without witness: what the txid is made of. The extranonce is written little-endian.
    [[nodiscard]] Bytes without_witness(std::uint64_t extranonce) const;
    /// As it stands in a block.
    [[nodiscard]] Bytes in_block(std::uint64_t extranonce) const;
    [[nodiscard]] Digest txid(std::uint64_t extranonce) const;

private:
    Bytes bytes_;  ///< without witness, extranonce zero
    std::size_t extranonce_at_ = 0;
    std::size_t extranonce_size_ = 0;
    bool has_witness_ = false;
};

/// The push of a number as Bitcoin's script writes it: OP_0, OP_1…OP_16, or the shortest little-endian bytes, the
/// highest bit being the sign (BIP 34 asks for this form of the height).
[[nodiscard]] Bytes script_number(std::uint64_t number);

/// Throws InputError where the text does not fit into a coinbase, beside a height of the next 300 years.
void require_room_for(const std::string& signature);

}  // namespace gpuminer::net
