// OpenSSL's objects with owners, the group secp256k1, and big-endian numbers of 32 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include <openssl/ec.h>

namespace gpuminer::net {

struct OpenSslDeleter {  // what was in them is cleansed
    void operator()(BIGNUM* number) const;
    void operator()(BN_CTX* scratch) const;
    void operator()(EC_POINT* point) const;
    void operator()(EC_GROUP* group) const;
    void operator()(EVP_MD_CTX* hash) const;
    void operator()(EVP_CIPHER_CTX* cipher) const;
};
template <typename Object>
using Owned = std::unique_ptr<Object, OpenSslDeleter>;

/// OpenSSL's functions fail for want of memory only here: throws std::bad_alloc.
void must(bool worked);
template <typename Object>
[[nodiscard]] Owned<Object> owned(Object* made) {
    must(made != nullptr);
    return Owned<Object>(made);
}

/// Throws NetworkError where this OpenSSL was built without the curve.
[[nodiscard]] const EC_GROUP* secp256k1();
/// Memory for one calculation.
[[nodiscard]] Owned<BN_CTX> scratch_memory();

[[nodiscard]] Owned<BIGNUM> number_of(std::span<const std::uint8_t> bytes);
/// `number`: of at most 32 bytes.
void store_number(const BIGNUM* number, std::array<std::uint8_t, 32>& out);

}  // namespace gpuminer::net
