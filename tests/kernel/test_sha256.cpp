// Tests of kernel/sha256.hpp over numbers, with published vectors and OpenSSL.
#include <openssl/sha.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "header_words.hpp"
#include "host/block/checker.hpp"
#include "random_headers.hpp"
#include "tests/catch.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

Digest digest_of(const sha256::State<std::uint32_t>& state) {
    Digest digest{};
    for (std::size_t i = 0; i < state.size(); ++i) store_be32(digest, 4 * i, state[i]);
    return digest;
}

// SHA-256 of a whole message: the padding of FIPS 180-4, 5.1.1, and one compression per block.
Digest hash(Bytes message) {
    const std::uint64_t bits = message.size() * 8;
    message.push_back(0x80);
    while (message.size() % 64 != 56) message.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8) message.push_back(static_cast<std::uint8_t>(bits >> shift));
    auto state = sha256::initial_state<std::uint32_t>();
    for (std::size_t at = 0; at < message.size(); at += 64) {
        sha256::Block<std::uint32_t> block{};
        for (std::size_t i = 0; i < block.size(); ++i) block[i] = load_be32(message, at + 4 * i);
        state = sha256::compress(state, block);
    }
    return digest_of(state);
}

std::string hex(const Digest& digest) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : digest) text += {kDigits[byte >> 4], kDigits[byte & 15]};
    return text;
}

// The textbook's double hash, from the header's midstate, in display order.
Hash256 double_hash(const BlockHeader& header) {
    const HeaderWords words = words_of(header);
    return display_order(digest_of(sha256::double_hash(words.midstate, words.tail, words.nonce)));
}

}  // namespace

TEST_CASE("SHA-256 gives the published digests") {
    // FIPS 180-2, appendix B.1 and B.2 (later editions link to the same as "SHA_All.pdf"): one and two blocks.
    CHECK(hex(hash(bytes_of("abc"))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(hex(hash(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))) ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    // Appendix B.3: 15,626 blocks.
    CHECK(hex(hash(Bytes(1'000'000, 'a'))) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK(hex(hash({})) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("SHA-256 of random messages of every length up to four blocks is OpenSSL's") {
    Random random(1);
    for (std::size_t length = 0; length <= 256; ++length) {
        Bytes message(length);
        for (auto& byte : message) byte = static_cast<std::uint8_t>(random() >> 24);
        Digest expected{};
        SHA256(message.data(), message.size(), expected.data());
        INFO("length " << length);
        REQUIRE(hash(message) == expected);
    }
}

TEST_CASE("the double hash from the midstate is the listed hash of every real header") {
    const auto headers = load_real_headers();
    REQUIRE(headers.size() == 7205);
    for (const RealHeader& real : headers) {
        if (double_hash(real.header) != real.hash)
            FAIL(real.network << " " << real.height << ": " << real.header.hex());
    }
}

TEST_CASE("the double hash of random headers is OpenSSL's") {
    for (const BlockHeader& header : random_headers(1000, 2))
        REQUIRE(double_hash(header) == double_sha256(header.bytes));
}

TEST_CASE("verbs do on numbers what FIPS 180-4 writes") {
    // Section 4.1.2 in its own terms; ours are cheaper equivalents.
    Random random(3);
    for (int i = 0; i < 1000; ++i) {
        const auto x = static_cast<std::uint32_t>(random());
        const auto y = static_cast<std::uint32_t>(random());
        const auto z = static_cast<std::uint32_t>(random());
        REQUIRE(sha256::ch(x, y, z) == ((x & y) ^ (~x & z)));
        REQUIRE(sha256::maj(x, y, z) == ((x & y) ^ (x & z) ^ (y & z)));
        REQUIRE(sha256::xor3(x, y, z) == (x ^ y ^ z));
        REQUIRE(sha256::rotr(x, 7) == (x >> 7 | x << 25));
        REQUIRE(sha256::shr(x, 3) == x >> 3);
        REQUIRE(sha256::add(x, y, z) == x + y + z);
    }
}
