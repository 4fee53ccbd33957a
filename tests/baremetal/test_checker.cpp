// The UEFI application's own SHA-256 and numbers, beside OpenSSL's.
#include <openssl/sha.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "baremetal/checker.hpp"
#include "baremetal/line.hpp"
#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

std::string text_of(const baremetal::Line& line) { return {line.text().data, line.text().size}; }

baremetal::Header copied(const BlockHeader& header) {
    baremetal::Header copy;
    std::memcpy(copy.bytes, header.bytes.data(), sizeof(copy.bytes));
    return copy;
}

}  // namespace

TEST_CASE("SHA-256 of every length that fits two blocks") {
    std::vector<std::uint8_t> message;
    for (std::size_t size = 0; size <= 119; ++size) {
        std::array<std::uint8_t, SHA256_DIGEST_LENGTH> expected{};
        SHA256(message.data(), message.size(), expected.data());
        const baremetal::Digest digest = baremetal::sha256(message.data(), message.size());
        CAPTURE(size);
        CHECK(std::memcmp(digest.bytes, expected.data(), expected.size()) == 0);
        message.push_back(static_cast<std::uint8_t>(37 * size + 251));
    }
}

TEST_CASE("the carried blocks' hashes are what OpenSSL has") {
    for (const EmbeddedBlock& block : embedded_blocks()) {
        const BlockHeader header = parse_header_hex(block.header_hex).header;
        const Hash256 expected = double_sha256(header.bytes);
        const baremetal::Number256 hash = baremetal::hash_of(copied(header));
        for (std::size_t i = 0; i < 32; ++i) REQUIRE(hash.bytes[i] == expected.bytes[31 - i]);
        CHECK(hash.top_word() == expected.top_word());
        CHECK(copied(header).nonce() == header.nonce());
        CHECK(copied(header).version() == header.version());
        CHECK(copied(header).nbits() == header.nbits());
        CHECK(std::memcmp(copied(header).with_nonce(0x12345678).bytes, header.with_nonce(0x12345678).bytes.data(),
                          80) == 0);
    }
}

TEST_CASE("numbers of 256 bits are compared from the most significant byte on") {
    baremetal::Number256 small, large;
    small.bytes[0] = 0xff, large.bytes[31] = 1;
    CHECK(small.at_most(large));
    CHECK_FALSE(large.at_most(small));
    CHECK(small.at_most(small));
    large = small, large.bytes[0] = 0xfe;
    CHECK(large.at_most(small));
    CHECK_FALSE(small.at_most(large));
}

TEST_CASE("lines have numbers as people read them") {
    const auto decimal = [](double value, unsigned digits) {
        baremetal::Line line;
        return text_of(line.decimal(value, digits));
    };
    CHECK(decimal(0, 2) == "0.00");
    CHECK(decimal(0.005, 2) == "0.01");
    CHECK(decimal(1.999, 2) == "2.00");
    CHECK(decimal(95.3449, 2) == "95.34");
    CHECK(decimal(12.0625, 4) == "12.0625");
    CHECK(decimal(7.6, 0) == "8");
    const auto grouped = [](std::uint64_t value) {
        baremetal::Line line;
        return text_of(line.grouped(value));
    };
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(~std::uint64_t{0}) == "18,446,744,073,709,551,615");
    baremetal::Line line;
    CHECK(text_of(line.hex(0xabc, 8).pad_to(10).add('|')) == "00000ABC  |");
    line.clear();
    const std::string much(600, 'x');
    CHECK(line.add({much.data(), much.size()}).text().size == baremetal::Line::kCapacity);
    line.clear();
    CHECK(text_of(line.quoted({much.data(), 41})) == "\"" + std::string(40, 'x') + "\"...");
}
