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

struct ReadTransactions {
    std::vector<Digest> ids;
    Bytes coinbase;  // without witness
};

ReadTransactions read_transactions(std::span<const std::uint8_t> serialised) {
    ReadTransactions read;
    ByteReader reader(serialised);
    try {
        for (const std::uint64_t count = reader.compact_size(); read.ids.size() < count;) {
            const TransactionParts parts = read_transaction(reader);
            if (read.ids.empty()) read.coinbase = parts.without_witness();
            read.ids.push_back(parts.ids().txid);
        }
    } catch (const NetworkError& error) {
        throw InputError(fmt::format("expected a whole block, but its transaction number {} cannot be read: {}",
                                     read.ids.size() + 1, error.what()));
    }
    if (read.ids.empty()) throw InputError("expected a whole block, got one without transactions");
    if (reader.left() != 0)
        throw InputError(fmt::format("expected {} transactions of {} bytes, got {} bytes", read.ids.size(), reader.at(),
                                     serialised.size()));
    return read;
}

/// Where a transaction stands twice, two different blocks can have the same merkle root (CVE-2012-2459).
void demand_different(std::vector<Digest> ids) {
    std::ranges::sort(ids);
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice != ids.end())
        throw InputError(fmt::format("expected different transactions, got {} twice", display_order(*twice).hex()));
}

}  // namespace

BlockView view_block(const BlockHeader& header, std::span<const std::uint8_t> transactions) {
    const ReadTransactions read = read_transactions(transactions);
    const Hash256 root = display_order(merkle_root(read.ids.front(), merkle_branch(std::span(read.ids).subspan(1))));
    if (root != header.merkle_root())
        throw InputError(fmt::format("expected transactions of the merkle root {}, as the block's header says, got {}",
                                     header.merkle_root().hex(), root.hex()));
    demand_different(read.ids);
    BlockView view{read.ids.size(), std::nullopt, std::nullopt};
    if (static_cast<std::int32_t>(header.version()) < 2) return view;  // any number may stand there by chance
    view.height = coinbase_height(read.coinbase);
    view.bip54 = follows_bip54(read.coinbase);
    return view;
}

}  // namespace gpuminer::net
