#include "host/block/checker.hpp"

#include <algorithm>
#include <stdexcept>

#include <openssl/sha.h>

namespace gpuminer {

Hash256 double_sha256(std::span<const std::uint8_t> data) {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> first{};
    Hash256 hash;
    static_assert(SHA256_DIGEST_LENGTH == sizeof(hash.bytes));
    if (SHA256(data.data(), data.size(), first.data()) == nullptr ||
        SHA256(first.data(), first.size(), hash.bytes.data()) == nullptr) {
        throw std::runtime_error("OpenSSL's SHA-256 failed");
    }
    std::reverse(hash.bytes.begin(), hash.bytes.end());
    return hash;
}

Checked check(const BlockHeader& header, const Hash256& target) {
    const Hash256 hash = double_sha256(header.bytes);
    if (hash <= target) return {Verdict::hit, hash};
    return {hash.top_word() <= target.top_word() ? Verdict::near_miss : Verdict::wrong, hash};
}

}  // namespace gpuminer
