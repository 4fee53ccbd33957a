#include "net/noise/openssl.hpp"

#include <new>

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

#include "host/errors.hpp"
#include "net/noise/secret.hpp"

namespace gpuminer::net {

Secret::~Secret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

void OpenSslDeleter::operator()(BIGNUM* number) const { BN_clear_free(number); }
void OpenSslDeleter::operator()(BN_CTX* scratch) const { BN_CTX_free(scratch); }
void OpenSslDeleter::operator()(EC_POINT* point) const { EC_POINT_clear_free(point); }
void OpenSslDeleter::operator()(EC_GROUP* group) const { EC_GROUP_free(group); }
void OpenSslDeleter::operator()(EVP_MD_CTX* hash) const { EVP_MD_CTX_free(hash); }
void OpenSslDeleter::operator()(EVP_CIPHER_CTX* cipher) const { EVP_CIPHER_CTX_free(cipher); }

void must(bool worked) {
    if (!worked) throw std::bad_alloc();
}

const EC_GROUP* secp256k1() {
    static const Owned<EC_GROUP> group = [] {
        Owned<EC_GROUP> made(EC_GROUP_new_by_curve_name(NID_secp256k1));
        if (made == nullptr) {
            ERR_clear_error();
            throw NetworkError("Stratum V2 needs the curve secp256k1, which this system's OpenSSL does not have");
        }
        return made;
    }();
    return group.get();
}

Owned<BN_CTX> scratch_memory() { return owned(BN_CTX_new()); }

Owned<BIGNUM> number_of(std::span<const std::uint8_t> bytes) {
    return owned(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
}

void store_number(const BIGNUM* number, std::array<std::uint8_t, 32>& out) {
    must(BN_bn2binpad(number, out.data(), static_cast<int>(out.size())) == static_cast<int>(out.size()));
}

}  // namespace gpuminer::net
