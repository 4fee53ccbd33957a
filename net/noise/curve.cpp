#include "net/noise/curve.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>

#include "host/errors.hpp"
#include "net/noise/hash.hpp"
#include "net/noise/openssl.hpp"

namespace gpuminer::net {
namespace {

// For functions whose time must not tell the number.
Owned<BIGNUM> secret_number(const Secret& secret) {
    Owned<BIGNUM> number = number_of(secret.bytes);
    BN_set_flags(number.get(), BN_FLG_CONSTTIME);
    return number;
}

bool is_secret_key(const Secret& secret) {
    const Owned<BIGNUM> number = secret_number(secret);
    return BN_is_zero(number.get()) == 0 && BN_cmp(number.get(), EC_GROUP_get0_order(secp256k1())) < 0;
}

Owned<EC_POINT> new_point() { return owned(EC_POINT_new(secp256k1())); }

// BIP 340's lift_x(): of both points with this x the one whose y is even. Null: there is none.
Owned<EC_POINT> lifted(const XCoordinate& x) {
    const Owned<BIGNUM> number = number_of(x);
    if (BN_cmp(number.get(), EC_GROUP_get0_field(secp256k1())) >= 0) return nullptr;
    Owned<EC_POINT> point = new_point();
    if (EC_POINT_set_compressed_coordinates(secp256k1(), point.get(), number.get(), 0, scratch_memory().get()) != 1) {
        ERR_clear_error();
        return nullptr;
    }
    return point;
}

// `point` is not at infinity.
void store_x(const Owned<EC_POINT>& point, XCoordinate& out) {
    const Owned<BIGNUM> x = owned(BN_new());
    must(EC_POINT_get_affine_coordinates(secp256k1(), point.get(), x.get(), nullptr, scratch_memory().get()) == 1);
    store_number(x.get(), out);
}

// BIP 340's e, negated, modulo the group's order.
Owned<BIGNUM> negated_challenge(std::span<const std::uint8_t> r, const XCoordinate& key,
                                std::span<const std::uint8_t> message) {
    std::array<std::uint8_t, 32> hash{};
    tagged_hash("BIP0340/challenge", {r, key, message}, hash);
    Owned<BIGNUM> number = number_of(hash);
    const BIGNUM* const order = EC_GROUP_get0_order(secp256k1());
    BN_set_negative(number.get(), 1);
    must(BN_nnmod(number.get(), number.get(), order, scratch_memory().get()) == 1);
    return number;
}

}  // namespace

void draw_random(std::span<std::uint8_t> bytes) {
    if (RAND_priv_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        ERR_clear_error();
        throw NetworkError("OpenSSL has no random numbers, without which no connection can be encrypted");
    }
}

Secret generate_secret_key(const RandomDraw& draw) {
    Secret secret;
    do draw(secret.bytes);
    while (!is_secret_key(secret));
    return secret;
}

XCoordinate public_key(const Secret& key) {
    const Owned<BIGNUM> number = secret_number(key);
    const Owned<EC_POINT> product = new_point();
    must(EC_POINT_mul(secp256k1(), product.get(), number.get(), nullptr, nullptr, scratch_memory().get()) == 1);
    XCoordinate x{};
    store_x(product, x);
    return x;
}

std::optional<Secret> multiply(const Secret& key, const XCoordinate& point) {
    const Owned<EC_POINT> factor = lifted(point);
    if (factor == nullptr) return std::nullopt;
    const Owned<BIGNUM> number = secret_number(key);
    const Owned<EC_POINT> product = new_point();
    must(EC_POINT_mul(secp256k1(), product.get(), nullptr, factor.get(), number.get(), scratch_memory().get()) == 1);
    Secret x;
    store_x(product, x.bytes);
    return x;
}

bool is_public_key(const XCoordinate& x) { return lifted(x) != nullptr; }

bool is_signed(std::span<const std::uint8_t> message, const SchnorrSignature& signature, const XCoordinate& key) {
    const auto r = std::span(signature).first<32>();
    const Owned<BIGNUM> s = number_of(std::span(signature).last<32>());
    const Owned<EC_POINT> point = lifted(key);
    if (point == nullptr || BN_cmp(s.get(), EC_GROUP_get0_order(secp256k1())) >= 0) return false;
    const Owned<BIGNUM> e = negated_challenge(r, key, message);
    const Owned<BN_CTX> scratch = scratch_memory();
    const Owned<EC_POINT> expected = new_point();  // s·G - e·P
    must(EC_POINT_mul(secp256k1(), expected.get(), s.get(), point.get(), e.get(), scratch.get()) == 1);
    if (EC_POINT_is_at_infinity(secp256k1(), expected.get()) == 1) return false;
    const Owned<BIGNUM> x = owned(BN_new());
    const Owned<BIGNUM> y = owned(BN_new());
    must(EC_POINT_get_affine_coordinates(secp256k1(), expected.get(), x.get(), y.get(), scratch.get()) == 1);
    return BN_is_odd(y.get()) == 0 && BN_cmp(x.get(), number_of(r).get()) == 0;
}

}  // namespace gpuminer::net
