// A header as the kernel reads it: big-endian message words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer::test {

struct HeaderWords {
    sha256::State<std::uint32_t> midstate;
    std::array<std::uint32_t, 3> tail;
    std::uint32_t nonce;  ///< the nonce field's bytes as a big-endian word
};

inline HeaderWords words_of(const BlockHeader& header) {
    HeaderWords words{};
    sha256::Block<std::uint32_t> block1{};
    for (std::size_t i = 0; i < block1.size(); ++i) block1[i] = load_be32(header.bytes, 4 * i);
    words.midstate = sha256::compress(sha256::initial_state<std::uint32_t>(), block1);
    for (std::size_t i = 0; i < words.tail.size(); ++i) words.tail[i] = load_be32(header.bytes, 64 + 4 * i);
    words.nonce = load_be32(header.bytes, 76);
    return words;
}

/// The second digest's last word, as SHA-256 computes it, of a hash in display order (all bytes reversed).
inline std::uint32_t h7_of(const Hash256& hash) { return __builtin_bswap32(hash.top_word()); }

}  // namespace gpuminer::test
