// The parts of VerusHash one by one: AES round, Haraka, key, CLHash, BLAKE2b.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/verushash/vectors.hpp"
#include "verushash/block.hpp"
#include "verushash/clhash.hpp"
#include "verushash/haraka.hpp"

using namespace gpuminer;
using namespace gpuminer::verushash;
using gpuminer::test::from_hex;

namespace {

template <std::size_t kSize>
std::array<std::uint8_t, kSize> first_of(const Bytes& bytes, std::size_t at = 0) {
    REQUIRE(bytes.size() >= at + kSize);
    std::array<std::uint8_t, kSize> result{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), kSize, result.begin());
    return result;
}

Vector128 vector_from(const Bytes& bytes, std::size_t at = 0) { return {first_of<16>(bytes, at)}; }

Bytes bytes_of(const Key& key) {
    Bytes bytes;
    for (const Vector128& vector : key) bytes.insert(bytes.end(), vector.bytes.begin(), vector.bytes.end());
    return bytes;
}

std::string sha256_hex(const Bytes& bytes) {
    test::Collected collected;
    collected.add(bytes);
    return collected.hex();
}

/// Calls `compute` with each recorded input of a primitive, and compares.
template <typename Compute>
void compare_all(const std::string& primitive, Compute compute) {
    std::size_t compared = 0;
    for (const test::Fields& fields : test::verushash_data("primitives.csv")) {
        if (fields[0] != primitive) continue;
        INFO(primitive << " of " << fields[1]);
        CHECK(compute(from_hex(fields[1])) == fields[2]);
        ++compared;
    }
    CHECK(compared >= 8);
}

}  // namespace

TEST_CASE("AES round: the example of FIPS 197, appendix B") {
    const Vector128 state = vector_from(from_hex("193de3bea0f4e22b9ac68d2ae9f84808"));
    const Vector128 round_key = vector_from(from_hex("a0fafe1788542cb123a339392a6c7605"));
    CHECK(to_hex(aes_round(state, round_key).bytes) == "a49c7ff2689f352b6b5bea43026a5049");
}

TEST_CASE("Products without carries") {
    CHECK(carryless_product(0, ~std::uint64_t{0}) == vector_of(0));
    CHECK(carryless_product(1, 0x123456789abcdef0) == vector_of(0x123456789abcdef0));
    CHECK(carryless_product(3, 3) == vector_of(5));  // (x + 1)² = x² + 1
    CHECK(carryless_product(std::uint64_t{1} << 63, 2) == vector_of(0, 1));
    // (x^63 + … + 1)²: a square has the even powers of each term, and no others.
    CHECK(carryless_product(~std::uint64_t{0}, ~std::uint64_t{0}) == vector_of(0x5555555555555555, 0x5555555555555555));
}

TEST_CASE("Scaled products of words") {
    const auto product = [](std::uint16_t x, std::uint16_t y) {
        return scaled_products(vector_of(x), vector_of(y)).low();
    };
    CHECK(product(0x4000, 0x4000) == 0x2000);  // ½ · ½
    CHECK(product(1, 0x3fff) == 0);
    CHECK(product(1, 0x4000) == 1);       // rounded up
    CHECK(product(0xffff, 0x4000) == 0);  // -½ is rounded up, too
    CHECK(product(0xffff, 0x4001) == 0xffff);
    CHECK(product(0x8000, 0x8000) == 0x8000);  // -1 · -1 does not fit, and turns over
    // Words do not carry into each other.
    CHECK(scaled_products(vector_of(0xffff, 0x40000000), vector_of(0x4001, 0x40000000)) ==
          vector_of(0xffff, 0x20000000));
}

TEST_CASE("Haraka-256 and Haraka-512: published and recorded vectors") {
    compare_all("haraka256", [](const Bytes& input) { return to_hex(haraka256(first_of<32>(input))); });
    compare_all("haraka512", [](const Bytes& input) { return to_hex(haraka512(first_of<64>(input))); });
}

TEST_CASE("Haraka-512 with other round keys") {
    compare_all("haraka512_keyed", [](const Bytes& input) {
        std::array<Vector128, 40> keys;
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = vector_from(input, 64 + 16 * i);
        return to_hex(haraka512(first_of<64>(input), keys));
    });
}

TEST_CASE("The key of 8,832 bytes") {
    compare_all("key", [](const Bytes& input) { return sha256_hex(bytes_of(make_key(first_of<32>(input)))); });
}

TEST_CASE("CLHash: the hash, and what it makes of the key") {
    compare_all("clhash", [](const Bytes& input) {
        Key key = make_key(first_of<32>(input));
        const std::uint64_t hash = clhash(key, first_of<64>(input, 32));
        return fmt::format("{:016x}", hash) + sha256_hex(bytes_of(key));
    });
}

TEST_CASE("BLAKE2b-256 of a pre-header") {
    compare_all("preheader", [](const Bytes& input) { return to_hex(pre_header_blake2b(input)); });
}
