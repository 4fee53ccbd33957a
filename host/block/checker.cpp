#include "host/block/checker.hpp"

#include "host/block/algorithm.hpp"
#include "host/block/hash256.hpp"

namespace gpuminer {

Hash256 double_sha256(std::span<const std::uint8_t> data) { return display_order(double_sha256_digest(data)); }

Checked check(const BlockHeader& header, const Hash256& target) {
    const Hash256 hash = header.algorithm->hash(header);
    if (hash <= target) return {Verdict::hit, hash};
    return {hash.top_word() <= target.top_word() ? Verdict::near_miss : Verdict::wrong, hash};
}

}  // namespace gpuminer
