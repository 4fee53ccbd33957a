#include "net/noise/ellswift.hpp"

#include <algorithm>
#include <cassert>
#include <span>

#include "net/noise/field.hpp"
#include "net/noise/hash.hpp"

namespace gpuminer::net {
namespace {

using Element = FieldElement;

// The square of the two roots of -3.
const Element& root_of_minus_3() {
    static const Element root = *(-Element(3)).square_root();
    return root;
}

Element curve_at(const Element& x) { return x * x * x + 7; }
bool is_on_curve(const Element& x) { return curve_at(x).square_root().has_value(); }

// BIP 324's XSwiftEC(u, t).
Element x_swift_ec(Element u, Element t) {
    if (u.is_zero()) u = 1;
    if (t.is_zero()) t = 1;
    if ((curve_at(u) + t * t).is_zero()) t = 2 * t;
    const Element x = (curve_at(u) - t * t) / (2 * t);
    const Element y = (x + t) / (root_of_minus_3() * u);
    const Element quotient = x / y;
    if (Element first = u + 4 * y * y; is_on_curve(first)) return first;
    if (Element second = (-quotient - u) / 2; is_on_curve(second)) return second;
    return (quotient - u) / 2;  // of three there is one at least
}

struct SwiftPair {
    Element v, s;
};

// The first half of BIP 324's XSwiftECInv(x, u, case).
std::optional<SwiftPair> swift_pair(const Element& x, const Element& u, unsigned which) {
    if ((which & 2) == 0) {
        if (is_on_curve(-x - u)) return std::nullopt;
        return SwiftPair{x, -curve_at(u) / (u * u + u * x + x * x)};
    }
    const Element s = x - u;
    if (s.is_zero()) return std::nullopt;
    const auto root = (-s * (4 * curve_at(u) + 3 * u * u * s)).square_root();
    if (!root || ((which & 1) != 0 && root->is_zero())) return std::nullopt;
    return SwiftPair{(*root / s - u) / 2, s};
}

// The rest of it.
std::optional<Element> x_swift_ec_inverse(const Element& x, const Element& u, unsigned which) {
    const auto pair = swift_pair(x, u, which);
    if (!pair) return std::nullopt;
    const auto w = pair->s.square_root();
    if (!w) return std::nullopt;
    const Element& c = root_of_minus_3();
    const bool plus = (which & 1) != 0;
    const Element t = *w * (u * (plus ? 1 + c : 1 - c) / 2 + pair->v);
    const bool negative = ((which & 4) != 0) == plus;  // cases 0 and 5
    return negative ? -t : t;
}

}  // namespace

XCoordinate decode_ellswift(const EllSwift& encoded) {
    const std::span bytes(encoded);
    return x_swift_ec(Element(bytes.first<32>()), Element(bytes.last<32>())).bytes();
}

std::optional<XCoordinate> invert_ellswift(const XCoordinate& x, const XCoordinate& u, unsigned which) {
    const auto t = x_swift_ec_inverse(Element(x), Element(u), which);
    if (!t) return std::nullopt;
    return t->bytes();
}

EllSwift encode_ellswift(const XCoordinate& x, const RandomDraw& draw) {
    for (;;) {
        XCoordinate random{};
        std::array<std::uint8_t, 1> which{};
        draw(random);
        draw(which);
        const XCoordinate u = Element(random).bytes();
        const auto t = invert_ellswift(x, u, which[0] & 7U);
        if (!t || Element(u).is_zero()) continue;
        EllSwift encoded{};
        std::copy(u.begin(), u.end(), encoded.begin());
        std::copy(t->begin(), t->end(), encoded.begin() + 32);
        return encoded;
    }
}

Secret shared_secret(const Secret& key, const EllSwift& own, const EllSwift& theirs) {
    const auto x = multiply(key, decode_ellswift(theirs));
    assert(x);  // each encoding is of a point
    Secret shared;
    tagged_hash("bip324_ellswift_xonly_ecdh", {own, theirs, x->bytes}, shared.bytes);
    return shared;
}

}  // namespace gpuminer::net
