// The step of the ladder that hashes with Windows' own library (Cryptography API: Next Generation).
#include <algorithm>

#include "bench/workloads/ladder_steps.hpp"
#include "host/block/hash256.hpp"
#include "host/block/sha256.hpp"

namespace gpuminer::bench {
namespace {

void naive_cng(const BlockHeader& header, const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const auto nonce = range.first + static_cast<std::uint32_t>(i);
        const Digest digest = sha256_digest(sha256_digest(header.with_nonce(nonce).bytes));
        const bool above =
            std::lexicographical_compare(target.bytes.begin(), target.bytes.end(), digest.rbegin(), digest.rend());
        if (!above) hits.push_back(nonce);
    }
}

}  // namespace

LibraryStep library_step() { return {"CNG (beside)", "the naive loop with Windows' SHA-256 (CNG)", naive_cng}; }

}  // namespace gpuminer::bench
