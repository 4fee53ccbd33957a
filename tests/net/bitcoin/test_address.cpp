// Addresses against the vectors of BIP 173 and BIP 350, and of Bitcoin Core's key_io tests.
#include <string>
#include <vector>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/address.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

// What parse_address() says; empty where it accepts the text.
std::string address_refusal(const std::string& text) {
    return input_error([&] { (void)parse_address(text); });
}

std::string ascii_upper(std::string text) {
    for (char& c : text) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

const std::vector<Chain> kTestChains = {Chain::kTest, Chain::kTestnet4, Chain::kTestnet5, Chain::kSignet};
const std::vector<Chain> kBase58TestChains = {Chain::kTest, Chain::kTestnet4, Chain::kTestnet5, Chain::kSignet,
                                              Chain::kRegtest};

}  // namespace

TEST_CASE("addresses: scripts, kinds and networks", "[address]") {
    struct Row {
        const char* text;
        const char* script;
        AddressKind kind;
        std::vector<Chain> chains;
    };
    const std::vector<Row> rows = {
        // BIP 173 and BIP 350
        {"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
         "0014751e76e8199196d454941c45d1b3a323f1433bd6",
         AddressKind::kP2wpkh,
         {Chain::kMain}},
        {"tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
         "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262", AddressKind::kP2wsh, kTestChains},
        {"tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy",
         "0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433", AddressKind::kP2wsh, kTestChains},
        {"tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c",
         "5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433", AddressKind::kP2tr, kTestChains},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
         "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
         AddressKind::kP2tr,
         {Chain::kMain}},
        // Bitcoin Core, src/test/data/key_io_valid.json
        {"1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo",
         "76a914a31c06bd463e3923bc1aadbde48b16976c08071788ac",
         AddressKind::kP2pkh,
         {Chain::kMain}},
        {"36j4NfKv6Akva9amjWrLG6MuSQym1GuEmm",
         "a914373b819a068f32b7a6b38b6b38729647cfde01c287",
         AddressKind::kP2sh,
         {Chain::kMain}},
        {"mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ", "76a914ce28b26c57472737f5c3561a1761185bd8589a4388ac",
         AddressKind::kP2pkh, kBase58TestChains},
        {"2NC2hEhe28ULKAJkW5MjZ3jtTMJdvXmByvK", "a914ce0bba75891ff9ec60148d4bd4a09ee2dc5c933187", AddressKind::kP2sh,
         kBase58TestChains},
        {"n4fajahJrAuKbN7uNsKjLjQkz9Qn5ewJXQ", "76a914fdeca3b08e38af53d7c4c60e3ad208ce5066441088ac",
         AddressKind::kP2pkh, kBase58TestChains},
        {"mfhE6jAUwjUDNZhaX1PAsDTKfneQF2Nshc", "76a91401f15a4cc063dae4f4d56b89bfbc8bcc9ae5387c88ac",
         AddressKind::kP2pkh, kBase58TestChains},
        {"bc1qvyq0cc6rahyvsazfdje0twl7ez82ndmuac2lhv",
         "00146100fc6343edc8c874496cb2f5bbfec88ea9b77c",
         AddressKind::kP2wpkh,
         {Chain::kMain}},
        {"bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9",
         "00146f58bac9506f9bfb821d62e69330410bb56f0085",
         AddressKind::kP2wpkh,
         {Chain::kRegtest}},
        {"bcrt1qan8gntac7z7me2ejt4hpru42ad2f759fmy0m3ejvs98656znv7eqga4uhv",
         "0020ecce89afb8f0bdbcab325d6e11f2aaeb549f50a9d91fb8e64c814faa685367b2",
         AddressKind::kP2wsh,
         {Chain::kRegtest}},
        {"bcrt1pfwxjqvtt4tcxrtdluukfmy2dv7xd2qzdfy6kajv5nwn4yam3wxkq3553uh",
         "51204b8d20316baaf061adbfe72c9d914d678cd5004d49356ec9949ba752777171ac",
         AddressKind::kP2tr,
         {Chain::kRegtest}},
        // All bytes zero: base58's leading ones.
        {"1111111111111111111114oLvT2",
         "76a914000000000000000000000000000000000000000088ac",
         AddressKind::kP2pkh,
         {Chain::kMain}},
        // btcd's simnet; made with Python's hashlib
        {"SMJ2EsMn4iEfrGr1c7hW9KnykTxwffDZkM",
         "76a914000102030405060708090a0b0c0d0e0f1011121388ac",
         AddressKind::kP2pkh,
         {Chain::kSimnet}},
        {"rVaDKPF4fY3EvHDD5HgdEr8BWjRYNmbGw6",
         "a914000102030405060708090a0b0c0d0e0f1011121387",
         AddressKind::kP2sh,
         {Chain::kSimnet}},
        {"sb1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn6dl8wc",
         "0014000102030405060708090a0b0c0d0e0f10111213",
         AddressKind::kP2wpkh,
         {Chain::kSimnet}},
        {"sb1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sj6h6g5",
         "0020000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         AddressKind::kP2wsh,
         {Chain::kSimnet}},
        {"sb1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0scdhnsg",
         "5120000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         AddressKind::kP2tr,
         {Chain::kSimnet}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const Address address = parse_address(row.text);
        CHECK(address.text == row.text);
        CHECK(to_hex(address.script) == row.script);
        CHECK(name_of(address.kind) == name_of(row.kind));
        CHECK(address.chains == row.chains);
    }
}

TEST_CASE("addresses: bech32 that is mistyped is explained as bech32", "[address]") {
    const std::string good = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    for (std::size_t at = 3; at < good.size(); ++at) {
        std::string mistyped = good;
        mistyped[at] = '1';
        CAPTURE(mistyped);
        CHECK_THAT(address_refusal(mistyped), Catch::Matchers::ContainsSubstring("it has a second '1'"));
        CHECK_THAT(address_refusal(ascii_upper(mistyped)), Catch::Matchers::ContainsSubstring("it has a second '1'"));
        mistyped[at] = 'b';
        CHECK_THAT(address_refusal(mistyped), Catch::Matchers::ContainsSubstring("bech32 does not use, 'b'"));
    }
}

TEST_CASE("addresses: the invalid ones of BIP 173 and BIP 350 are refused", "[address]") {
    struct Row {
        const char* text;
        const char* reason;
    };
    const std::vector<Row> rows = {
        {"tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty", "prefix 'tc'"},
        {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "checksum is wrong"},
        {"BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2", "witness version is 17"},
        {"bc1rw5uspcuh", "written in bech32m"},
        {"bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90", "written in bech32m"},
        {"BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", "16 bytes"},
        {"tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7", "mixes upper-case and lower-case"},
        {"bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du", "written in bech32m"},
        {"tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv", "not zero"},
        {"bc1gmk9yu", "no data"},
        {"tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut", "prefix 'tc'"},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
         "written in bech32m, but this one is in bech32"},
        {"tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf", "written in bech32m"},
        {"BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL", "written in bech32m"},
        {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", "written in bech32, but this one is in bech32m"},
        {"tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47", "written in bech32, but"},
        {"bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", "does not use, 'o'"},
        {"BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", "witness version is 17"},
        {"bc1pw5dgrnzv", "1 bytes"},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav", "41 bytes"},
        {"tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq", "mixes"},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf", "more than its data needs"},
        {"tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j", "not zero"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text, address_refusal(row.text));
        CHECK(contains(address_refusal(row.text), row.reason));
    }
}

TEST_CASE("addresses: witness programs that anybody could spend are refused, though they are valid", "[address]") {
    for (const char* const text :
         {"BC1SW50QGDZ25J", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "tb1rgv5m6uvdk3kc7qsuz0c79v88ycr5w4wa",
          "bcrt1sx6p8njlx7h9mc2agz4yg82dzne23050ncq72cneeecez2pst8mahn8xecsf8g6hzx94420"}) {
        CAPTURE(text, address_refusal(text));
        CHECK(contains(address_refusal(text), "is not defined yet"));
    }
    const char* const long_taproot = "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y";
    CHECK(contains(address_refusal(long_taproot), "taproot takes 32"));
}

TEST_CASE("addresses: what base58 refuses", "[address]") {
    CHECK(contains(address_refusal(""), "empty"));
    CHECK(contains(address_refusal("x"), "too short"));
    CHECK(contains(address_refusal("1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mp"), "checksum is wrong"));
    CHECK(contains(address_refusal("1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2m0"), "does not use, '0'"));
    CHECK(contains(address_refusal(std::string("1FsSia9rv4\0eEw", 14)), "byte 0x00"));
    CHECK(contains(address_refusal(" 1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo"), "does not use, ' '"));
    CHECK(contains(address_refusal(std::string(1'000'000, '1')), "at most 112"));
    CHECK(contains(address_refusal(std::string(112, 'z')), "checksum is wrong"));
    CHECK(contains(address_refusal("AZEah8d1EK362okRBS66e8SvdtYkrE8tsX"),
                   "belongs to no known network"));  // Core's key_io_invalid
    CHECK(contains(address_refusal("37G2kMDLpmWVhimxRdzwNfE8JFvWXnJYnVcXeeGrek2qumdJuK7XArcVVpRtLLjRra3t64BEPF2"),
                   "expected 21 bytes in it, got"));
    for (const std::size_t size : {std::size_t{1}, std::size_t{90}, std::size_t{5000}}) {
        CHECK(address_refusal(std::string(size, '\xff')).size() < 600);
    }
}

TEST_CASE("addresses: a private key is refused without being shown", "[address]") {
    for (const std::string key :
         {"5JuW2AMDYu4xVwRG9DZW18VbzQrGcd5RCgb99sS6ehJsNQXu5b9", "L5nJeqKmpHp4P7F8ZYyjwc5a7P4d8EabuGAzfGJk7yC1BJyzNaEd",
          "92ZdE5HoLafywnTBbzPxbvRmp75pSfzvdU3XaZGh1cToipgdHVh"}) {
        CHECK(contains(address_refusal(key), "got a private key"));
        CHECK_FALSE(contains(address_refusal(key), key.substr(2, 8)));
    }
}

TEST_CASE("addresses: the node's network has to be theirs", "[address]") {
    const Address main = parse_address("bc1qvyq0cc6rahyvsazfdje0twl7ez82ndmuac2lhv");
    CHECK_NOTHROW(require_valid_on(main, Chain::kMain));
    CHECK_THROWS_WITH(
        require_valid_on(main, Chain::kRegtest),
        "'bc1qvyq0cc6rahyvsazfdje0twl7ez82ndmuac2lhv' is an address of the main network, but this is regtest");
    const Address test = parse_address("mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ");
    CHECK_NOTHROW(require_valid_on(test, Chain::kRegtest));
    CHECK_THROWS_WITH(require_valid_on(test, Chain::kMain),
                      "'mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ' is an address of testnet3, testnet4, testnet5, signet and "
                      "regtest, but this is the main network");
    CHECK_FALSE(test.is_valid_on(Chain::kSimnet));
}

TEST_CASE("networks have names", "[address]") {
    for (const Chain chain : kAllChains) CHECK(chain_from_name(name_of(chain)) == chain);
    CHECK(chain_from_name("mainnet") == Chain::kMain);
    CHECK(chain_from_name("testnet3") == Chain::kTest);
    CHECK_FALSE(chain_from_name("").has_value());
    CHECK_FALSE(chain_from_name("Main").has_value());
}
