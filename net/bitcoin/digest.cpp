#include "net/bitcoin/digest.hpp"

#include <algorithm>

#include <openssl/sha.h>

namespace gpuminer::net {

Digest double_sha256_digest(std::span<const std::uint8_t> data) {
    Digest once{};
    Digest twice{};
    SHA256(data.data(), data.size(), once.data());
    SHA256(once.data(), once.size(), twice.data());
    return twice;
}

Hash256 display_order(const Digest& digest) {
    Hash256 hash;
    std::reverse_copy(digest.begin(), digest.end(), hash.bytes.begin());
    return hash;
}

Digest internal_order(const Hash256& hash) {
    Digest digest{};
    std::reverse_copy(hash.bytes.begin(), hash.bytes.end(), digest.begin());
    return digest;
}

}  // namespace gpuminer::net
