// Headers of Verus: refusals, and the meaning of each byte.
#include "host/errors.hpp"
#include "tests/catch.hpp"
#include "tests/verushash/vectors.hpp"
#include "verushash/block.hpp"

using namespace gpuminer;
using namespace gpuminer::verushash;

namespace {

Bytes plain_header() {
    Bytes bytes(kHeaderBytes);
    bytes[0] = 4;
    bytes[2] = 1;
    bytes[140] = 0xfd;
    bytes[141] = 0x40;
    bytes[142] = 0x05;
    bytes[143] = 7;
    return bytes;
}

void check_refusal(const Bytes& bytes, const std::string& message) {
    INFO(message);
    CHECK_THROWS_MATCHES(parse_header(bytes), InputError, Catch::Matchers::Message(message));
}

Bytes with(std::size_t at, std::uint8_t value) {
    Bytes bytes = plain_header();
    bytes[at] = value;
    return bytes;
}

}  // namespace

TEST_CASE("Headers that VerusHash 2.2 is not defined for are refused") {
    check_refusal(Bytes(80), "expected a Verus block header with 1487 bytes, got 80");
    check_refusal({}, "expected a Verus block header with 1487 bytes, got 0");
    check_refusal(with(2, 0), "expected a Verus block header with version 65540 (VerusHash 2), got 4");
    check_refusal(with(142, 4), "expected a Verus block header with a solution of 1344 bytes (fd4005), got fd4004");
    check_refusal(with(143, 3),
                  "expected a Verus block header with a solution of version 4 or later (VerusHash 2.2), got 3");
    check_refusal(
        with(146, 0x80),
        "expected a Verus block header with a solution of version 4 or later (VerusHash 2.2), got 2147483655");
    CHECK_THROWS_MATCHES(verushash::parse_header_hex("00ff"), InputError,
                         Catch::Matchers::Message("expected a Verus block header with 2974 hex digits, got 4"));
    CHECK_THROWS_AS(verushash::parse_header_hex(std::string(2974, 'x')), InputError);
}

TEST_CASE("Fields of a header") {
    Bytes bytes = plain_header();
    store_le32(bytes, 100, 1'700'000'000);
    store_le32(bytes, 104, 0x1b012345);
    store_le32(bytes, 1472, 0x89abcdef);
    const Header header = verushash::parse_header_hex("0x" + to_hex(bytes));
    CHECK(header.version() == kBlockVersion);
    CHECK(header.time() == 1'700'000'000);
    CHECK(header.nbits() == 0x1b012345);
    CHECK(header.solution_version() == 7);
    CHECK(header.nonce() == 0x89abcdef);

    Bytes other = bytes;
    store_le32(other, 1472, 1);
    CHECK(header.with_nonce(1) == parse_header(other));
}

TEST_CASE("What a canonical form leaves") {
    // The whole header, random, with its own entry in its solution.
    for (const test::Fields& fields : test::verushash_data("headers.csv")) {
        if (fields[1] != "1") continue;
        const Header header = verushash::parse_header_hex(fields[2]);
        const Header canonical = canonical_form(header);
        for (std::size_t i = 0; i < kHeaderBytes; ++i) {
            const bool own = (i >= 4 && i < 100) || (i >= 104 && i < 140) || (i >= 151 && i < 215);
            INFO("byte " << i);
            CHECK(canonical.bytes[i] == (own ? 0 : header.bytes[i]));
        }
        CHECK(canonical_form(header.with_nonce(5)) == canonical.with_nonce(5));  // so that a search can clear once
    }
}
