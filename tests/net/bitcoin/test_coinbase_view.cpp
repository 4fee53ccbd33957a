// Tests of the coinbase's payments, in order and malformed.
#include "net/bitcoin/coinbase_view.hpp"
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

Bytes coinbase(const json& params) { return make_job(parameters(), params)->coinbase(0); }

}  // namespace

TEST_CASE("The coinbase's height") {
    const auto height = [](const std::string& script) {
        const Bytes bytes = from_hex(script);
        std::string text =
            "01000000"
            "01" +
            std::string(64, '0') + "ffffffff";
        text += to_hex(Bytes{static_cast<std::uint8_t>(bytes.size())}) + script +
                "ffffffff"
                "00"
                "00000000";
        return coinbase_height(from_hex(text));
    };
    CHECK(height("03a0bb0d") == 900'000);    // as the main network's blocks have it
    CHECK(height("02e803abcdef") == 1'000);  // others' text behind it
    CHECK(height("028000") == 128);          // the highest bit is the sign's
    CHECK(height("51") == 1);                // OP_1
    CHECK(height("60ff") == 16);
    CHECK_FALSE(height(""));
    CHECK_FALSE(height("00"));
    CHECK_FALSE(height("03a0bb"));  // cut off
    CHECK_FALSE(height("05a0bb0d0000"));
    CHECK_FALSE(height("04ffffffff"));  // negative
    CHECK_FALSE(height("02f481"));      // likewise
    CHECK_FALSE(height("04f4010000"));  // 500, and 5, longer than BIP 34 permits
    CHECK_FALSE(height("0105"));
    CHECK_FALSE(coinbase_height({}));
    CHECK_FALSE(coinbase_height(from_hex("0100000002")));
}

TEST_CASE("Whether the coinbase follows BIP 54") {
    const auto follows = [](const std::string& sequence, const std::string& lock_time,
                            const std::string& script = "03a0bb0d") {
        const std::string size = to_hex(Bytes{static_cast<std::uint8_t>(script.size() / 2)});
        return follows_bip54(
            from_hex("01000000"
                     "01" +
                     std::string(64, '0') + "ffffffff" + size + script + sequence + "00" + lock_time));
    };
    CHECK(follows("feffffff", "9fbb0d00") == true);  // 899,999
    CHECK(follows("00000000", "9fbb0d00") == true);  // any that is not final
    CHECK(follows("ffffffff", "9fbb0d00") == false);
    CHECK(follows("feffffff", "a0bb0d00") == false);
    CHECK(follows("feffffff", "00000000") == false);
    CHECK(follows("feffffff", "00000000", "51") == true);  // block 1
    CHECK_FALSE(follows("feffffff", "00000000", "00"));    // no height
    CHECK_FALSE(follows("feffffff", "9fbb0d"));            // cut off
    CHECK_FALSE(follows("feffffff", "9fbb0d0000"));
    CHECK(follows_bip54(coinbase(notify_params("1"))) == false);  // as pools have made them so far
}

TEST_CASE("What the coinbase pays") {
    const Bytes transaction = coinbase(notify_params("1"));
    const Bytes script = from_hex("00141111111111111111111111111111111111111111");
    const std::vector<CoinbaseOutput> outputs = coinbase_outputs(transaction);
    REQUIRE(outputs.size() == 2);
    CHECK(outputs[0].value == 2'500'000'000);
    CHECK(outputs[0].script == script);
    CHECK(outputs[1].value == 0);
    CHECK(coinbase_payment(transaction, script) == "25 BTC of 25 BTC");
    CHECK(coinbase_payment(transaction, outputs[1].script).empty());
    CHECK(coinbase_payment(transaction, {}).empty());

    SECTION("a coinbase that is cut off, too long or full of nonsense has no outputs") {
        json params = notify_params("1");
        const std::string tail = params[3];
        for (std::size_t cut = 0; cut < tail.size(); cut += 2) {
            params[3] = tail.substr(0, cut);
            CHECK(coinbase_outputs(coinbase(params)).empty());
        }
        params[3] = tail + "00";
        CHECK(coinbase_outputs(coinbase(params)).empty());
        params[3] = "0a636b706f6f6c2d6c68720b2f6e6f6465732d6c68722fffffffffffffffffffffffffff00";
        CHECK(coinbase_outputs(coinbase(params)).empty());
        params[2] = "";
        params[3] = "";
        const auto empty = make_job(parameters("", 1), params);
        CHECK(coinbase_outputs(empty->coinbase(0)).empty());
        (void)empty->header(0);
    }
    SECTION("with the extranonce in another place, and part of the money for another") {
        json params = notify_params("1");
        std::string tail = params[3];
        tail.replace(tail.find("0000000000000000266a"), 16, "40787d0100000000");  // 0.25 BTC
        params[3] = tail;
        CHECK(coinbase_payment(coinbase(params), script) == "25 BTC of 25.25 BTC");
        const std::string all = params[2].get<std::string>() + "f00dcafe00000000" + params[3].get<std::string>();
        params[2] = all.substr(0, 90);
        params[3] = all.substr(90 + 16);
        CHECK(coinbase_outputs(coinbase(params)).size() == 2);
    }
}
