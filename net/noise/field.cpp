#include "net/noise/field.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>

#include "net/noise/openssl.hpp"

namespace gpuminer::net {
namespace {

const BIGNUM* field_prime() { return EC_GROUP_get0_field(secp256k1()); }

// The prime is 3 modulo 4: a square's root is its power by (prime + 1) / 4.
Owned<BIGNUM> root_exponent() {
    Owned<BIGNUM> exponent = owned(BN_dup(field_prime()));
    must(BN_add_word(exponent.get(), 1) == 1 && BN_rshift(exponent.get(), exponent.get(), 2) == 1);
    return exponent;
}

// What `calculate` makes of a new number and of scratch memory, in which it returns 1.
template <typename Calculate>
std::shared_ptr<const BIGNUM> calculated(const Calculate& calculate) {
    Owned<BIGNUM> result = owned(BN_new());
    must(calculate(result.get(), scratch_memory().get()) == 1);
    return result;
}

}  // namespace

FieldElement::FieldElement(unsigned number)
    : number_(calculated([&](BIGNUM* result, BN_CTX*) { return BN_set_word(result, number); })) {}

FieldElement::FieldElement(std::span<const std::uint8_t> bytes)
    : number_(calculated([number = number_of(bytes)](BIGNUM* result, BN_CTX* scratch) {
          return BN_nnmod(result, number.get(), field_prime(), scratch);
      })) {}

XCoordinate FieldElement::bytes() const {
    XCoordinate bytes{};
    store_number(number_.get(), bytes);
    return bytes;
}

bool FieldElement::is_zero() const { return BN_is_zero(number_.get()) == 1; }

FieldElement FieldElement::inverse() const {
    return FieldElement(calculated([this](BIGNUM* result, BN_CTX* scratch) {
        return BN_mod_inverse(result, number_.get(), field_prime(), scratch) != nullptr ? 1 : 0;
    }));
}

std::optional<FieldElement> FieldElement::square_root() const {
    static const Owned<BIGNUM> exponent = root_exponent();
    const FieldElement root(calculated([this](BIGNUM* result, BN_CTX* scratch) {
        return BN_mod_exp(result, number_.get(), exponent.get(), field_prime(), scratch);
    }));
    if (!(root * root == *this)) return std::nullopt;
    return root;
}

FieldElement operator+(const FieldElement& a, const FieldElement& b) {
    return FieldElement(calculated([&](BIGNUM* result, BN_CTX*) {
        return BN_mod_add_quick(result, a.number_.get(), b.number_.get(), field_prime());
    }));
}

FieldElement operator-(const FieldElement& a, const FieldElement& b) {
    return FieldElement(calculated([&](BIGNUM* result, BN_CTX*) {
        return BN_mod_sub_quick(result, a.number_.get(), b.number_.get(), field_prime());
    }));
}

FieldElement operator*(const FieldElement& a, const FieldElement& b) {
    return FieldElement(calculated([&](BIGNUM* result, BN_CTX* scratch) {
        return BN_mod_mul(result, a.number_.get(), b.number_.get(), field_prime(), scratch);
    }));
}

bool operator==(const FieldElement& a, const FieldElement& b) { return BN_cmp(a.number_.get(), b.number_.get()) == 0; }

}  // namespace gpuminer::net
