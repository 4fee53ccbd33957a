// Whole blocks: those that real nodes accepted, raw and in hex digits, and ones that are cut off, changed or too long.
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "host/text/text.hpp"
#include "net/bitcoin/block_view.hpp"
#include "net/bitcoin/transaction.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

const std::string kGenesis =
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc388"
    "8a"
    "51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c0101000000010000000000000000000000000000000000000000000000000000000000"
    "000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b"
    "206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a671"
    "30b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000";

std::string raw(const std::string& hex) {
    const Bytes bytes = test::bytes_of(hex);
    return {bytes.begin(), bytes.end()};
}

HeaderInput read(const std::string& text) {
    std::istringstream stream(text);
    return read_headers("-", stream, kSha256d, HeaderForms::kVerified).front();
}

BlockView view(const std::string& text) {
    const HeaderInput input = read(text);
    return view_block(input.header, input.transactions);
}

std::string refusal(const std::string& text) {
    std::string message = input_error([&] { (void)view(text); });
    if (!message.empty()) CHECK(is_plain_sentence(message));
    return message;
}

/// The sizes of what is read of a block's beginnings.
std::vector<std::size_t> readable_prefixes(const std::string& block) {
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size <= block.size(); ++size) {
        const std::string message = input_error([&] {
            const HeaderInput input = read(block.substr(0, size));
            if (!input.transactions.empty()) (void)view_block(input.header, input.transactions);
            sizes.push_back(size);
        });
        if (!message.empty() && !is_plain_sentence(message)) FAIL(size << ": " << message);
    }
    return sizes;
}

}  // namespace

TEST_CASE("blocks that nodes accepted", "[block]") {
    for (const test::RecordedTemplate& recorded : test::load_recorded_templates()) {
        CAPTURE(recorded.file);
        for (const std::string& text : {recorded.block + "\n", raw(recorded.block)}) {
            CHECK(read(text).header.hex() == recorded.header);
            const BlockView block = view(text);
            CHECK(block.transactions == 1 + recorded.block_template.at("transactions").size());
            CHECK(block.height == recorded.height());
            CHECK(block.bip54 == false);
        }
        BlockHeader header = recorded.block_header();
        Digest root{};
        decode_hex(recorded.merkle_root_with_bip54(), root);
        header.set_merkle_root(root);
        Bytes number;
        append_compact_size(number, 1 + recorded.block_template.at("transactions").size());
        std::string block =
            header.hex() + to_hex(number) + test::with_bip54(recorded.coinbase_without_witness, recorded.height());
        for (const auto& transaction : recorded.block_template.at("transactions"))
            block += transaction.at("data").get<std::string>();
        CHECK(view(block).bip54 == true);
    }
}

TEST_CASE("a block of version 1 has no height", "[block]") {
    const BlockView block = view(kGenesis);
    CHECK(block.transactions == 1);
    CHECK_FALSE(block.height);
    CHECK_FALSE(block.bip54);
}

TEST_CASE("a block that is cut off anywhere is refused, or a header", "[block]") {
    const std::string block = test::load_template_file("btcd_simnet_txs.json").at("block");
    CHECK(readable_prefixes(raw(block)) == std::vector<std::size_t>{80, block.size() / 2});
    CHECK(readable_prefixes(block) == std::vector<std::size_t>{152, 160, block.size()});
    CHECK(readable_prefixes(raw(kGenesis)) == std::vector<std::size_t>{80, kGenesis.size() / 2});
}

TEST_CASE("a block with any byte changed is not the header's", "[block]") {
    const std::string block = raw(test::load_template_file("btcd_simnet_txs.json").at("block"));
    for (std::size_t at = 80; at < block.size(); ++at) {
        std::string changed = block;
        changed[at] = static_cast<char>(~changed[at]);
        // A witness is no part of the merkle tree.
        if (refusal(changed).empty()) CHECK(view(changed).height == view(block).height);
    }
    const std::string hex = to_hex(Bytes(block.begin(), block.end()));
    std::string other = hex;
    other.replace(other.find("6e6f646573"), 10, "6e6f646574");
    CHECK(contains(refusal(other),
                   "expected transactions of the merkle root 0336d8d91c4e61f34b165dce67ac60cdc26c1bb336bba"
                   "93f714dcdb701e67a69, as the block's header says, got "));
}

TEST_CASE("a block that is none is refused in one sentence", "[block]") {
    const std::string block = test::load_template_file("btcd_simnet_txs.json").at("block");
    CHECK(refusal(block + "00") == "expected 10 transactions of 1098 bytes, got 1099 bytes");
    CHECK(refusal(raw(block) + "\n") == "expected 10 transactions of 1098 bytes, got 1099 bytes");
    CHECK(contains(refusal(block + "0"), "expected a whole block in hex digits, got 2357, an odd number"));
    CHECK(contains(refusal(block + "g0"), "expected a whole block in hex digits, but character 2357 is 'g'"));
    CHECK(refusal(block.substr(0, block.size() - 2)) ==
          "expected a whole block, but its transaction number 10 cannot be read: it is truncated");
    const auto with_number = [&block](const std::string& number) {
        return block.substr(0, 160) + number + block.substr(162);
    };
    CHECK(contains(refusal(with_number("00")), "without transactions"));
    CHECK(contains(refusal(with_number("0b")), "transaction number 11 cannot be read: it is truncated"));
    CHECK(
        contains(refusal(with_number("ffffffffffffffffff")), "transaction number 11 cannot be read: it is truncated"));
    CHECK(contains(refusal(with_number("fd0a00")),
                   "transaction number 1 cannot be read: a count in it is encoded longer"));
    CHECK(refusal(block + std::string(9'000'000, '0')) ==
          "standard input: expected a whole block of at most 4000000 bytes, got more");
}

TEST_CASE("a block with its last transactions twice has the same merkle root, and is refused", "[block]") {
    // Ten transactions: the merkle tree's fifth pair stands for the sixth to eighth, too.
    const std::string block = raw(test::load_template_file("btcd_simnet_txs.json").at("block"));
    ByteReader reader(std::span(reinterpret_cast<const std::uint8_t*>(block.data()) + 81, block.size() - 81));
    std::size_t last_two = 0;
    for (int i = 0; i < 10; ++i) {
        if (i == 8) last_two = 81 + reader.at();
        (void)read_transaction(reader);
    }
    std::string twice = block + block.substr(last_two);
    twice[80] = 12;
    CHECK(contains(refusal(twice), "expected different transactions, got "));
    CHECK(contains(refusal(twice), " twice"));
}

TEST_CASE("only verify takes a whole block", "[block]") {
    const std::string text = kGenesis;
    for (const std::string& block : {text, raw(text)}) {
        std::istringstream stream(block);
        CHECK(input_error([&] { (void)read_headers("-", stream); }) ==
              "standard input: expected 152 or 160 hex digits (76 or 80 bytes), got a whole block, whose header is " +
                  text.substr(0, 160));
    }
    CHECK(contains(input_error([&] { (void)parse_header_hex(text); }), "got 570 digits"));
}
