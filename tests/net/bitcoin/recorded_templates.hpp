// Block templates of real nodes, each with the block that the node then accepted: tests/data/getblocktemplate. Tests
// run in the project's root folder.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/transaction.hpp"

namespace gpuminer::test {

inline nlohmann::json load_template_file(const std::string& name) {
    const std::string path = "tests/data/getblocktemplate/" + name;
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path + "; run the tests in the project's root folder");
    return nlohmann::json::parse(file);
}

inline Bytes bytes_of(const std::string& hex) {
    Bytes bytes(hex.size() / 2);
    decode_hex(hex, bytes);
    return bytes;
}

/// A recorded coinbase (hex digits) with nSequence and nLockTime as BIP 54 asks for them; the recordings are older.
inline std::string with_bip54(std::string coinbase, std::uint32_t height) {
    const auto little_endian = [](std::uint32_t number) {
        Bytes bytes(4);
        store_le(bytes, number);
        return to_hex(bytes);
    };
    const std::size_t script_size_at = coinbase.find(std::string(64, '0') + "ffffffff") + 72;
    const std::size_t script_size = std::stoul(coinbase.substr(script_size_at, 2), nullptr, 16);
    coinbase.replace(script_size_at + 2 + 2 * script_size, 8, little_endian(0xfffffffe));
    return coinbase.replace(coinbase.size() - 8, 8, little_endian(height - 1));
}

struct RecordedTemplate {
    std::string file;
    nlohmann::json block_template;                            ///< "result" of the node's reply
    std::string coinbase_without_witness, coinbase_in_block;  ///< hex digits, as the three below
    std::string header, block;
    std::string block_hash;   ///< display order
    std::string merkle_root;  ///< internal order

    /// What all of them have in the coinbase's input.
    static constexpr const char* kSignature = "/nodes-probe/";
    /// The script of the coinbase's first output.
    [[nodiscard]] Bytes script() const {
        const Bytes coinbase = bytes_of(coinbase_without_witness);
        const std::size_t value_at = 41 + 1 + coinbase.at(41) + 4 + 1;
        const auto script_at = coinbase.begin() + static_cast<std::ptrdiff_t>(value_at + 8 + 1);
        return {script_at, script_at + coinbase.at(value_at + 8)};
    }
    [[nodiscard]] std::uint32_t height() const { return block_template.at("height"); }
    [[nodiscard]] BlockHeader block_header() const { return parse_header_hex(header).header; }
    /// Hex digits in internal order, of the transactions as recorded but for the coinbase: with_bip54().
    [[nodiscard]] std::string merkle_root_with_bip54() const {
        std::vector<Bytes> level = {reversed(double_sha256(bytes_of(with_bip54(coinbase_without_witness, height()))))};
        for (const auto& transaction : block_template.at("transactions")) {
            level.push_back(bytes_of(transaction.value("txid", transaction.at("hash").get<std::string>())));
            std::ranges::reverse(level.back());
        }
        for (std::vector<Bytes> next; level.size() > 1; level = std::exchange(next, {})) {
            if (level.size() % 2 == 1) level.push_back(level.back());
            for (std::size_t i = 0; i < level.size(); i += 2) {
                level[i].insert(level[i].end(), level[i + 1].begin(), level[i + 1].end());
                next.push_back(reversed(double_sha256(level[i])));
            }
        }
        return to_hex(level.front());
    }

private:
    /// In internal order; a Hash256 is in display order.
    static Bytes reversed(const Hash256& hash) {
        Bytes bytes = bytes_of(hash.hex());
        std::ranges::reverse(bytes);
        return bytes;
    }
};

inline std::vector<RecordedTemplate> load_recorded_templates() {
    std::vector<RecordedTemplate> all;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/getblocktemplate")) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().filename().string();
        const nlohmann::json document = load_template_file(name);
        if (!document.contains("block")) continue;
        all.push_back({name, document.at("template"), document.at("coinbase_txid_serialization"),
                       document.at("coinbase_full"), document.at("header"), document.at("block"),
                       document.at("block_hash"), document.at("merkle_root_internal")});
    }
    return all;
}

}  // namespace gpuminer::test
