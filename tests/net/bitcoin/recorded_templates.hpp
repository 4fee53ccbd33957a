// Block templates of real nodes, each with the block that the node then accepted: tests/data/getblocktemplate. Tests
// run in the project's root folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/block/header.hpp"
#include "host/block/text.hpp"
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
    [[nodiscard]] BlockHeader block_header() const { return parse_header_hex(header).header; }
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
