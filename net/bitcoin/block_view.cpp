#include "net/bitcoin/block_view.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "net/bitcoin/coinbase_view.hpp"
#include "net/bitcoin/merkle.hpp"
#include "net/bitcoin/serialization.hpp"
#include "net/bitcoin/transaction.hpp"

namespace gpuminer::net {
namespace {

/// Where a transaction stands twice, two different blocks can have the same merkle root (CVE-2012-2459).
void demand_different(std::vector<Digest> ids) {
    std::ranges::sort(ids);
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice != ids.end())
        throw InputError(fmt::format("expected different transactions, got {} twice", display_order(*twice).hex()));
}

}  // namespace

std::vector<TransactionParts> read_transactions(std::span<const std::uint8_t> serialised) {
    std::vector<TransactionParts> read;
    ByteReader reader(serialised);
    try {
        for (const std::uint64_t count = reader.compact_size(); read.size() < count;)
            read.push_back(read_transaction(reader));
    } catch (const NetworkError& error) {
        throw InputError(fmt::format("expected a whole block, but its transaction number {} cannot be read: {}",
                                     read.size() + 1, error.what()));
    }
    if (read.empty()) throw InputError("expected a whole block, got one without transactions");
    if (reader.left() != 0)
        throw InputError(fmt::format("expected {} transactions of {} bytes, got {} bytes", read.size(), reader.at(),
                                     serialised.size()));
    return read;
}

BlockView view_block(const BlockHeader& header, std::span<const std::uint8_t> transactions) {
    const std::vector<TransactionParts> read = read_transactions(transactions);
    std::vector<Digest> ids;
    for (const TransactionParts& parts : read) ids.push_back(parts.ids().txid);
    const Hash256 root = display_order(merkle_root(ids.front(), merkle_branch(std::span(ids).subspan(1))));
    if (root != header.merkle_root())
        throw InputError(fmt::format("expected transactions of the merkle root {}, as the block's header says, got {}",
                                     header.merkle_root().hex(), root.hex()));
    demand_different(ids);
    BlockView view{read.size(), std::nullopt, std::nullopt};
    if (static_cast<std::int32_t>(header.version()) < 2) return view;  // any number may stand there by chance
    const Bytes coinbase = read.front().without_witness();
    view.height = coinbase_height(coinbase);
    view.bip54 = follows_bip54(coinbase);
    return view;
}

}  // namespace gpuminer::net
