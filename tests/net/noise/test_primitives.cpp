// Curve, encodings, signatures, hashes and cipher against the vectors of BIP 324, BIP 340, RFC 5869 and RFC 8439.
#include <algorithm>
#include <string>

#include "host/text/text.hpp"
#include "net/noise/cipher.hpp"
#include "net/noise/curve.hpp"
#include "net/noise/ellswift.hpp"
#include "net/noise/hash.hpp"
#include "tests/catch.hpp"
#include "tests/net/noise/noise_data.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

Secret secret_from_hex(std::string_view digits) {
    Secret secret;
    decode_hex(digits, secret.bytes);
    return secret;
}

}  // namespace

TEST_CASE("noise: ElligatorSwift is decoded as BIP 324's vectors are", "[noise]") {
    const auto rows = noise_rows("ellswift_decode.csv");
    REQUIRE(rows.size() == 76);
    for (const auto& row : rows) CHECK(to_hex(decode_ellswift(array_from_hex<64>(row[0]))) == row[1]);
}

TEST_CASE("noise: ElligatorSwift's inverses are those of BIP 324's vectors", "[noise]") {
    const auto rows = noise_rows("xswiftec_inv.csv");
    REQUIRE(rows.size() == 32);
    for (const auto& row : rows) {
        for (unsigned which = 0; which < 8; ++which) {
            const auto t = invert_ellswift(array_from_hex<32>(row[1]), array_from_hex<32>(row[0]), which);
            CHECK((t ? to_hex(*t) : "") == row[2 + which]);
        }
    }
}

TEST_CASE("noise: keys and shared secrets are those of BIP 324's vectors", "[noise]") {
    const auto rows = noise_rows("ecdh.csv");
    REQUIRE(rows.size() == 7);
    for (const auto& row : rows) {
        const Secret key = secret_from_hex(row[0]);
        const EllSwift own = array_from_hex<64>(row[1]), theirs = array_from_hex<64>(row[2]);
        CHECK(to_hex(public_key(key)) == row[4]);
        CHECK(to_hex(decode_ellswift(own)) == row[4]);
        CHECK(to_hex(decode_ellswift(theirs)) == row[5]);
        CHECK(to_hex(multiply(key, array_from_hex<32>(row[5])).value().bytes) == row[6]);
        if (row[3] == "1") CHECK(to_hex(shared_secret(key, own, theirs).bytes) == row[7]);
    }
}

TEST_CASE("noise: an encoding is of its key, whatever is drawn", "[noise]") {
    for (int i = 0; i < 8; ++i) {
        const XCoordinate x = public_key(generate_secret_key(draw_random));
        CHECK(decode_ellswift(encode_ellswift(x, draw_random)) == x);
    }
}

TEST_CASE("noise: a secret key is neither zero nor the group's order or above", "[noise]") {
    const std::string last = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";
    const FixedDraw draw({std::string(64, '0'), last.substr(0, 63) + "1", std::string(64, 'f'), last});
    CHECK(to_hex(generate_secret_key(draw).bytes) == last);
    CHECK(public_key(secret_from_hex(last)) == public_key(secret_from_hex(std::string(63, '0') + "1")));  // -1 and 1
}

TEST_CASE("noise: signatures are judged as BIP 340's vectors are", "[noise]") {
    const auto rows = noise_rows("schnorr.csv");
    REQUIRE(rows.size() == 19);
    for (const auto& row : rows) {
        INFO(row[2]);
        const bool right = is_signed(from_hex(row[1]), array_from_hex<64>(row[2]), array_from_hex<32>(row[0]));
        CHECK(right == (row[3] == "TRUE"));
    }
}

TEST_CASE("noise: HKDF is that of RFC 5869 without info", "[noise]") {
    const Bytes input(22, 0x0b);  // test case 3; its salt of no length is the same as one of zeros
    const auto [first, second] = hkdf(Secret(), input);
    CHECK(to_hex(first.bytes) == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
    CHECK(to_hex(second.bytes).substr(0, 20) == "9d201395faa4b61a96c8");
}

TEST_CASE("noise: ciphers are ChaCha20-Poly1305 as RFC 8439 has it", "[noise]") {
    // Appendix A.5; its nonce is 00000000 0102030405060708.
    const Secret key = secret_from_hex("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0");
    constexpr std::uint64_t kNumber = 0x0807060504030201;
    const Bytes associated = from_hex("f33388860000000000004e91");
    const auto text = bytes_in(
        "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or "
        "obsoleted by other documents at any time. It is inappropriate to use Internet-Drafts as reference material or "
        "to cite them other than as /\xe2\x80\x9cwork in progress./\xe2\x80\x9d");
    const Bytes sealed = SealingCipher(key, kNumber).seal(text, associated);
    CHECK(to_hex(std::span(sealed).first<16>()) == "64a0861575861af460f062c79be643bd");
    CHECK(to_hex(std::span(sealed).last<16>()) == "eead9d67890cbb22392336fea1851f38");
    const auto opened = OpeningCipher(key, kNumber).open(sealed, associated);
    REQUIRE(opened);
    CHECK(std::ranges::equal(*opened, text));
}

TEST_CASE("noise: a cipher takes each message once, in order, with what belongs to it", "[noise]") {
    const Secret key;
    const Bytes associated(32, 1), plain(300, 7);
    SealingCipher sealer(key);
    OpeningCipher opener(key);
    const Bytes first = sealer.seal(plain, associated), second = sealer.seal(plain, associated);
    CHECK(first != second);
    CHECK_FALSE(opener.open(second, associated));
    CHECK_FALSE(opener.open(first));
    CHECK(opener.open(first, associated).value() == plain);
    CHECK_FALSE(opener.open(first, associated));
    CHECK(opener.open(second, associated).value() == plain);
    CHECK_FALSE(opener.open(Bytes(15)));
    CHECK(opener.open(sealer.seal({})).value().empty());
}
