#include "tests/net/pool/submitted_hash.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"

namespace gpuminer::test {
namespace {

using nlohmann::json;

Bytes bytes_of(const std::string& hex) {
    Bytes bytes(hex.size() / 2);
    decode_hex(hex, bytes);
    return bytes;
}

void append_reversed(Bytes& out, Bytes part) {
    std::reverse(part.begin(), part.end());
    out.insert(out.end(), part.begin(), part.end());
}

}  // namespace

Bytes merkle_root(const json& job, const std::string& extranonce) {
    const Hash256 coinbase =
        double_sha256(bytes_of(job[2].get<std::string>() + extranonce + job[3].get<std::string>()));
    Bytes root(coinbase.bytes.rbegin(), coinbase.bytes.rend());
    for (const json& branch : job[4]) {
        const Bytes sibling = bytes_of(branch.get<std::string>());
        root.insert(root.end(), sibling.begin(), sibling.end());
        const Hash256 joined = double_sha256(root);
        root.assign(joined.bytes.rbegin(), joined.bytes.rend());
    }
    return root;
}

Bytes previous_hash(const json& job) {
    Bytes hash;
    const std::string words = job[1].get<std::string>();
    for (std::size_t word = 0; word < 8; ++word) append_reversed(hash, bytes_of(words.substr(8 * word, 8)));
    return hash;
}

Hash256 submitted_hash(const json& job, std::uint32_t version, const std::string& extranonce1, const json& share) {
    Bytes header;
    append_reversed(header, bytes_of(fmt::format("{:08x}", version)));
    for (const Bytes& part : {previous_hash(job), merkle_root(job, extranonce1 + share[2].get<std::string>())})
        header.insert(header.end(), part.begin(), part.end());
    append_reversed(header, bytes_of(share[3].get<std::string>()));
    append_reversed(header, bytes_of(job[6].get<std::string>()));
    append_reversed(header, bytes_of(share[4].get<std::string>()));
    return double_sha256(header);
}

double difficulty_of_hash(const Hash256& hash) {
    double value = 0;
    for (const std::uint8_t byte : hash.bytes) value = value * 256 + byte;
    return 65535.0 * std::pow(2.0, 208) / value;
}

}  // namespace gpuminer::test
