// Headers that are no blocks: 80 random bytes each, the same at every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "host/block/header.hpp"

namespace gpuminer::test {

/// The generator's numbers are fixed by the C++ standard, those of its distributions are not.
using Random = std::mt19937;

inline BlockHeader random_header(Random& random) {
    BlockHeader header;
    for (auto& byte : header.bytes) byte = static_cast<std::uint8_t>(random() >> 24);
    return header;
}

inline std::vector<BlockHeader> random_headers(std::size_t count, std::uint32_t seed) {
    Random random(seed);
    std::vector<BlockHeader> headers;
    while (headers.size() < count) headers.push_back(random_header(random));
    return headers;
}

}  // namespace gpuminer::test
