// Block templates of full nodes (getblocktemplate: BIP 22, 23, 9, 145), parsed and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "net/bitcoin/transaction.hpp"

namespace gpuminer::net {

struct TemplateTransaction {
    Bytes data;  ///< as serialised, with witnesses
    TransactionIds ids;
};

struct BlockTemplate {
    std::uint32_t version = 0;
    Hash256 previous_hash;  ///< display order
    std::uint32_t height = 0;
    std::uint32_t nbits = 0;
    Hash256 target;                       ///< of nbits; display order
    std::uint32_t time = 0;               ///< curtime: the node's clock, seconds since 1970; at least min_time
    std::uint32_t min_time = 0;           ///< a block must not be dated earlier
    std::uint32_t max_time = 0xffffffff;  ///< nor later
    std::uint64_t coinbase_value = 0;     ///< satoshis: subsidy and fees
    std::optional<std::uint64_t> fees;    ///< satoshis, where the node gives them for every transaction
    Bytes coinbase_flags;                 ///< all of coinbaseaux, to go into the coinbase's script as it is
    std::vector<TemplateTransaction> transactions;  ///< without the coinbase, in block order
    std::vector<Digest> coinbase_branch;            ///< Merkle branch of the coinbase, from `transactions`
    std::optional<Digest> witness_commitment;  ///< BIP 141, for a reserved value of 32 zero bytes; empty: not needed
    std::uint32_t deployment_bits = 0;         ///< BIP 9: bits of vbavailable and vbrequired, never to be rolled
    std::vector<std::string> rules;            ///< without the "!" of the mandatory ones
    std::optional<Bytes> signet_challenge;     ///< BIP 325; empty: not a signet
    std::string long_poll_id;                  ///< BIP 22; empty: the node has no long poll
    std::string work_id;                       ///< BIP 22, to be sent back with the block; empty: none
};

/// `result`: the member of that name of the node's reply. Throws NetworkError: what was expected and what came; also
/// where a mandatory rule is not known here (BIP 9), where a transaction is not the one that its txid names, and where
/// the target does not follow from the bits.
[[nodiscard]] BlockTemplate parse_block_template(const nlohmann::json& result);

}  // namespace gpuminer::net
