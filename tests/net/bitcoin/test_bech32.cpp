// Bech32 and bech32m against the vectors of BIP 173 and BIP 350.
#include <string>
#include <vector>

#include "host/errors.hpp"
#include "net/bitcoin/address.hpp"
#include "net/bitcoin/bech32.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

bool is_bech32(const std::string& text, Bech32Checksum checksum) {
    try {
        return decode_bech32(text).checksum == checksum;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

TEST_CASE("bech32 and bech32m: the vectors of BIP 173 and BIP 350", "[address]") {
    const std::vector<std::string> bech32 = {
        "A12UEL5L",
        "a12uel5l",
        "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
        "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
        "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j",
        "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
        "?1ezyfcl",
    };
    const std::vector<std::string> bech32m = {
        "A1LQFN3A",
        "a1lqfn3a",
        "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6",
        "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
        "11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8",
        "split1checkupstagehandshakeupstreamerranterredcaperredlc445v",
        "?1v759aa",
    };
    const std::vector<std::string> invalid = {
        " 1nwldj5",
        "\x7f"
        "1axkwrx",
        "\x80"
        "1eym55h",
        "an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx",
        "pzry9x0s0muk",
        "1pzry9x0s0muk",
        "x1b4n0q5v",
        "li1dgmt3",
        "de1lg7wt\xff",
        "A1G7SGD8",
        "10a06t8",
        "1qzzfhee",
        " 1xj0phk",
        "\x7f"
        "1g6xzxy",
        "\x80"
        "1vctc34",
        "an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4",
        "qyrz8wqd2c9m",
        "1qyrz8wqd2c9m",
        "y1b0jsk6g",
        "lt1igcx5c0",
        "in1muywd",
        "mm1crxm3i",
        "au1s5cgom",
        "M1VUXWEZ",
        "16plkw9",
        "1p2gdwpf",
    };
    for (const std::string& text : bech32) {
        CAPTURE(text);
        CHECK(is_bech32(text, Bech32Checksum::kBech32));
    }
    for (const std::string& text : bech32m) {
        CAPTURE(text);
        CHECK(is_bech32(text, Bech32Checksum::kBech32m));
    }
    for (const std::string& text : invalid) {
        CAPTURE(text);
        CHECK_THROWS_AS(decode_bech32(text), InputError);
    }
}

TEST_CASE("bech32: every single wrong character is noticed", "[address]") {
    const std::string right = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    REQUIRE_NOTHROW(parse_address(right));
    for (std::size_t i = 0; i < right.size(); ++i) {
        for (char c = 0x20; c < 0x7f; ++c) {
            std::string wrong = right;
            wrong[i] = c;
            if (wrong != right) REQUIRE_THROWS_AS(parse_address(wrong), InputError);
        }
    }
}
