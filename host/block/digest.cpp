#include "host/block/digest.hpp"

#include <algorithm>
#include <stdexcept>

#include <openssl/sha.h>

namespace gpuminer {

Digest double_sha256_digest(std::span<const std::uint8_t> data) {
    Digest once{};
    Digest twice{};
    static_assert(sizeof(Digest) == SHA256_DIGEST_LENGTH);
    if (SHA256(data.data(), data.size(), once.data()) == nullptr ||
        SHA256(once.data(), once.size(), twice.data()) == nullptr) {
        throw std::runtime_error("OpenSSL's SHA-256 failed");
    }
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

}  // namespace gpuminer
