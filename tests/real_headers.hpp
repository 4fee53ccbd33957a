// Real block headers: those of tests/data/headers.csv, and those in the program. Tests run in the project's root
// folder.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

struct RealHeader {
    std::string network;
    std::string height;  ///< empty where unknown
    BlockHeader header;
    Hash256 hash;  ///< as listed, not computed here
};

inline std::vector<RealHeader> load_real_headers(const std::string& path = "tests/data/headers.csv") {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path + "; run the tests in the project's root folder");
    std::vector<RealHeader> headers;
    std::string line;
    std::getline(file, line);  // the column names
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string network, height, header, hash;
        std::getline(fields, network, ',');
        std::getline(fields, height, ',');
        std::getline(fields, header, ',');
        std::getline(fields, hash, ',');
        headers.push_back({network, height, parse_header_hex(header).header, hash256_from_hex(hash, "a block hash")});
    }
    return headers;
}

/// Whether to have the header at this place of the list found by an instruction set. For woven ones ("avx2+shani") an
/// eighth of them will do, each day another, but for --all: on Emerald Rapids, SHA instructions among 256-bit ones take
/// hundreds of cycles.
inline bool in_sample(std::string_view isa, std::size_t place) {
    constexpr std::size_t kDays = 8;
    if (isa.find("+shani") == std::string_view::npos || std::getenv("GPUMINER_ALL_HEADERS") != nullptr) return true;
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
    return (place + static_cast<std::size_t>(day)) % kDays == 0;
}

/// A header that the program carries, by name.
inline HeaderInput embedded(std::string_view name) {
    std::istringstream nothing;
    return read_header(name, nothing);
}

}  // namespace gpuminer
