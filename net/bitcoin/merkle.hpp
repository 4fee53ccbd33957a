// Merkle trees of transactions: from a coinbase and its branch to the root in a header.
#pragma once

#include <span>
#include <vector>

#include "host/block/hash256.hpp"

namespace gpuminer::net {

/// The hashes that lie beside the way from the first leaf to the root, lowest first: as in Stratum's mining.notify.
/// `others`: all leaves but the first, in block order (a level of odd length repeats its last hash).
[[nodiscard]] std::vector<Digest> merkle_branch(std::span<const Digest> others);

/// The root, from the first leaf (the coinbase's txid) and its branch.
[[nodiscard]] Digest merkle_root(const Digest& first, std::span<const Digest> branch);

}  // namespace gpuminer::net
