#include "net/bitcoin/merkle.hpp"

#include "cpu/batch/merkle.hpp"
#include "cpu/batch/sha256d64.hpp"

namespace gpuminer::net {
namespace {

static_assert(sizeof(Digest[2]) == 64, "digests lie side by side, as sha256d64() takes them");

}  // namespace

std::vector<Digest> merkle_branch(std::span<const Digest> others) {
    std::vector<Digest> branch;
    std::vector<Digest> level(others.begin(), others.end());  // without its first hash, which is not known yet
    while (!level.empty()) {
        branch.push_back(level.front());
        level.erase(level.begin());
        if (level.empty()) break;
        std::uint8_t* const hashes = level.front().data();
        level.resize(next_merkle_level(hashes, hashes, level.size()));
    }
    return branch;
}

Digest merkle_root(const Digest& first, std::span<const Digest> branch) {
    std::array<Digest, 2> pair = {first, Digest{}};
    for (const Digest& hash : branch) {
        pair[1] = hash;
        sha256d64(pair[0].data(), pair[0].data(), 1);
    }
    return pair[0];
}

}  // namespace gpuminer::net
