#include "host/block/sha256.hpp"

#include <stdexcept>

#include <openssl/sha.h>

namespace gpuminer {

Digest sha256_digest(std::span<const std::uint8_t> data) {
    static_assert(sizeof(Digest) == SHA256_DIGEST_LENGTH);
    Digest digest{};
    if (SHA256(data.data(), data.size(), digest.data()) == nullptr)
        throw std::runtime_error("OpenSSL's SHA-256 failed");
    return digest;
}

}  // namespace gpuminer
