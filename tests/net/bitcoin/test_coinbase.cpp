// Tests of coinbases, against recorded blocks, byte for byte, and with data that does not fit into one.
#include <string>
#include <utility>
#include <vector>

#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/block_template.hpp"
#include "net/bitcoin/coinbase.hpp"
#include "tests/catch.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

CoinbaseParts some_parts() {
    CoinbaseParts parts;
    parts.height = 840'000;
    parts.value = 312'500'000;
    parts.script = test::bytes_of("0014751e76e8199196d454941c45d1b3a323f1433bd6");
    return parts;
}

}  // namespace

TEST_CASE("numbers as Bitcoin's script pushes them", "[coinbase]") {
    const std::vector<std::pair<std::uint64_t, std::string>> rows = {
        {0, "00"},
        {1, "51"},
        {16, "60"},
        {17, "0111"},
        {127, "017f"},
        {128, "028000"},
        {255, "02ff00"},
        {256, "020001"},
        {32767, "02ff7f"},
        {32768, "03008000"},
        {65535, "03ffff00"},
        {227931, "035b7a03"},
        {8388607, "03ffff7f"},
        {8388608, "0400008000"},
        {0x7fffffff, "04ffffff7f"},
        {0x80000000, "050000008000"},
    };
    for (const auto& [number, script] : rows) CHECK(to_hex(script_number(number)) == script);
}

TEST_CASE("coinbases of recorded blocks, byte for byte but for nSequence and nLockTime", "[coinbase]") {
    const std::vector<test::RecordedTemplate> all = test::load_recorded_templates();
    REQUIRE(all.size() == 10);
    for (const test::RecordedTemplate& recorded : all) {
        CAPTURE(recorded.file);
        const BlockTemplate block = parse_block_template(recorded.block_template);
        CoinbaseParts parts;
        parts.height = block.height;
        parts.extranonce_size = 0;
        parts.signature = recorded.kSignature;
        parts.flags = block.coinbase_flags;
        parts.value = block.coinbase_value;
        parts.script = recorded.script();
        parts.witness_commitment = block.witness_commitment;
        const Coinbase coinbase(parts);
        const std::string without_witness = test::with_bip54(recorded.coinbase_without_witness, block.height);
        CHECK(to_hex(coinbase.without_witness(0)) == without_witness);
        CHECK(to_hex(coinbase.in_block(0)) == test::with_bip54(recorded.coinbase_in_block, block.height));
        CHECK(display_order(coinbase.txid(0)) == double_sha256(test::bytes_of(without_witness)));
    }
}

TEST_CASE("nSequence and nLockTime are what BIP 54 demands at every height", "[coinbase]") {
    const std::vector<std::pair<std::uint32_t, std::string>> rows = {
        {1, "00000000"},       {2, "01000000"},       {17, "10000000"},        {128, "7f000000"},
        {0x10000, "ffff0000"}, {957'123, "c29a0e00"}, {1'983'702, "d5441e00"}, {0x7fffffff, "feffff7f"},
    };
    CoinbaseParts parts = some_parts();
    for (const bool witness : {false, true}) {
        if (witness) parts.witness_commitment = Digest{};
        for (const auto& [height, lock_time] : rows) {
            CAPTURE(height, witness);
            parts.height = height;
            const std::string plain = to_hex(Coinbase(parts).without_witness(0)),
                              whole = to_hex(Coinbase(parts).in_block(0));
            CHECK(plain.ends_with(lock_time));
            CHECK(whole.ends_with(lock_time));
            const std::size_t script_size = std::stoul(plain.substr(82, 2), nullptr, 16);
            CHECK(plain.substr(84 + 2 * script_size, 8) == "feffffff");
        }
    }
}

TEST_CASE("the extranonce is pushed after the height, little-endian", "[coinbase]") {
    CoinbaseParts parts = some_parts();
    parts.signature = "abc";
    parts.flags = {0x01, 0xff};
    const std::string head =
        "02000000"
        "01" +
        std::string(64, '0') + "ffffffff";
    const std::string tail =
        "03616263"
        "01ff"
        "feffffff"
        "01"
        "205fa01200000000"
        "16"
        "0014751e76e8199196d454941c45d1b3a323f1433bd6"
        "3fd10c00";
    CHECK(to_hex(Coinbase(parts).without_witness(0x0102030405060708)) == head +
                                                                             "13"
                                                                             "0340d10c"
                                                                             "080807060504030201" +
                                                                             tail);
    parts.extranonce_size = 3;
    CHECK(to_hex(Coinbase(parts).without_witness(0x0102030405060708)) == head +
                                                                             "0e"
                                                                             "0340d10c"
                                                                             "03080706" +
                                                                             tail);
    CHECK(Coinbase(parts).txid(1) != Coinbase(parts).txid(2));
}

TEST_CASE("a coinbase with a witness commitment commits to a reserved value of zeros", "[coinbase]") {
    CoinbaseParts parts = some_parts();
    parts.witness_commitment = Digest{};
    parts.witness_commitment->fill(0xab);
    const Coinbase coinbase(parts);
    const TransactionIds ids = transaction_ids(coinbase.in_block(5));
    CHECK(ids.has_witness());
    CHECK(ids.txid == coinbase.txid(5));
    CHECK(transaction_ids(coinbase.without_witness(5)).wtxid == coinbase.txid(5));
    const std::string witness =
        "01"
        "20" +
        std::string(64, '0') + "3fd10c00";
    CHECK(to_hex(coinbase.in_block(5)).ends_with(witness));
}

TEST_CASE("the coinbase's input script has at most 100 bytes", "[coinbase]") {
    CoinbaseParts parts = some_parts();  // 4 bytes of height, 9 of extranonce
    SECTION("a text of 75 bytes, the longest that one byte pushes") {
        parts.signature = std::string(75, 'x');
        CHECK_NOTHROW(Coinbase(parts));
        parts.signature += 'x';
        CHECK_THROWS_WITH(Coinbase(parts), "expected at most 75 bytes of text for the coinbase, got 76");
    }
    SECTION("less room beside the node's flags") {
        parts.flags = Bytes(80, 0x51);
        parts.signature = "123456";
        CHECK_NOTHROW(Coinbase(parts));
        parts.signature = "1234567";
        CHECK_THROWS_WITH(Coinbase(parts), "expected at most 6 bytes of text for the coinbase, got 7");
    }
    SECTION("no room at all") {
        parts.flags = Bytes(88, 0x51);
        CHECK_THROWS_AS(Coinbase(parts), InputError);
        parts.flags.pop_back();
        CHECK_NOTHROW(Coinbase(parts));
        parts.signature = "1";
        CHECK_THROWS_AS(Coinbase(parts), InputError);
    }
    SECTION("too short: a low height alone") {
        parts.height = 1;
        parts.extranonce_size = 0;
        CHECK_THROWS_AS(Coinbase(parts), InputError);
    }
}
