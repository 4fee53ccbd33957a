// Arithmetic modulo the prime of secp256k1, in variable time: for public values alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <openssl/types.h>

#include "net/noise/curve.hpp"

namespace gpuminer::net {

/// A value, calculated by OpenSSL's BIGNUM.
class FieldElement {
public:
    /// Not explicit, so that x + 7 is what it says.
    FieldElement(unsigned number);
    /// Big-endian, of any size; reduced.
    explicit FieldElement(std::span<const std::uint8_t> bytes);

    [[nodiscard]] XCoordinate bytes() const;
    [[nodiscard]] bool is_zero() const;
    [[nodiscard]] FieldElement inverse() const;  ///< zero has none
    /// The root that is a square itself; empty: there is none.
    [[nodiscard]] std::optional<FieldElement> square_root() const;

    friend FieldElement operator+(const FieldElement& a, const FieldElement& b);
    friend FieldElement operator-(const FieldElement& a, const FieldElement& b);
    friend FieldElement operator*(const FieldElement& a, const FieldElement& b);
    friend bool operator==(const FieldElement& a, const FieldElement& b);

private:
    explicit FieldElement(std::shared_ptr<const BIGNUM> number) : number_(std::move(number)) {}

    std::shared_ptr<const BIGNUM> number_;  // below the prime
};

[[nodiscard]] inline FieldElement operator-(const FieldElement& a) { return FieldElement(0) - a; }
[[nodiscard]] inline FieldElement operator/(const FieldElement& a, const FieldElement& b) { return a * b.inverse(); }

}  // namespace gpuminer::net
