// Serialised transactions: real ones, and ones that are cut off or written wrongly.
#include <span>
#include <string>

#include "host/errors.hpp"
#include "net/bitcoin/transaction.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

// What transaction_ids() says; empty where it accepts the bytes.
std::string transaction_refusal(const std::string& hex) {
    try {
        (void)transaction_ids(test::bytes_of(hex));
        return "";
    } catch (const NetworkError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("transactions: ids, with and without witness", "[transaction]") {
    for (const char* const file : {"core_regtest_txs.json", "btcd_simnet_txs.json"}) {
        const nlohmann::json block = test::load_template_file(file).at("template");
        for (const nlohmann::json& transaction : block["transactions"]) {
            const TransactionIds ids = transaction_ids(test::bytes_of(transaction["data"]));
            CHECK(display_order(ids.txid).hex() == transaction["txid"]);
            CHECK(display_order(ids.wtxid).hex() == transaction["hash"]);
        }
    }
    // The first payment ever, in block 170.
    const TransactionIds ids = transaction_ids(test::bytes_of(
        "0100000001c997a5e56e104102fa209c6a852dd90660a20b2d9c352423edce25857fcd3704000000004847304402204e45e16932b8af51"
        "4961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a876"
        "8d1d0901ffffffff0200ca9a3b00000000434104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab3"
        "7397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac00286bee0000000043410411db93e1dcdb8a016b49840f8c53"
        "bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac0000000"
        "0"));
    CHECK(display_order(ids.txid).hex() == "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16");
    CHECK_FALSE(ids.has_witness());
}

TEST_CASE("transactions: cut off anywhere, they are refused", "[transaction]") {
    const Bytes whole =
        test::bytes_of(test::load_template_file("core_regtest_txs.json")["template"]["transactions"][0]["data"]);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_THROWS_AS(transaction_ids(std::span(whole).first(size)), NetworkError);
    }
}

TEST_CASE("transactions: counts and markers that make no sense are refused", "[transaction]") {
    CHECK(contains(transaction_refusal("01000000"
                                       "ffffffffffffffffff"),
                   "truncated"));  // 2^64-1 inputs
    CHECK(contains(transaction_refusal("01000000"
                                       "00"
                                       "00"
                                       "00000000"),
                   "no inputs"));
    CHECK(contains(transaction_refusal("01000000"
                                       "00"
                                       "02"
                                       "00000000"),
                   "BIP 144"));
    CHECK(contains(transaction_refusal("01000000"
                                       "fd0100"),
                   "longer than necessary"));
    CHECK(contains(transaction_refusal("01000000"
                                       "0001"
                                       "01" +
                                       std::string(72, '0') +
                                       "00"
                                       "ffffffff"
                                       "00"
                                       "00"
                                       "00000000"),
                   "but has none"));
}

TEST_CASE("counts are written with as few bytes as they need", "[transaction]") {
    const auto written = [](std::uint64_t value) {
        Bytes bytes;
        append_compact_size(bytes, value);
        return to_hex(bytes);
    };
    CHECK(written(0) == "00");
    CHECK(written(0xfc) == "fc");
    CHECK(written(0xfd) == "fdfd00");
    CHECK(written(0xffff) == "fdffff");
    CHECK(written(0x10000) == "fe00000100");
    CHECK(written(0xffffffff) == "feffffffff");
    CHECK(written(0x100000000) == "ff0000000001000000");
}
