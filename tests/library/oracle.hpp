// The oracle of the library's tests: OpenSSL's double SHA-256, and merkle trees in the simplest way.
#pragma once

#include <openssl/sha.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpuminer::test {

using Bytes = std::vector<std::uint8_t>;
using Hash = std::array<std::uint8_t, 32>;

inline Hash sha256d(std::span<const std::uint8_t> data) {
    Hash once{}, twice{};
    SHA256(data.data(), data.size(), once.data());
    SHA256(once.data(), once.size(), twice.data());
    return twice;
}

/// Of a number: the same ones everywhere.
inline Bytes some_bytes(std::size_t size, std::uint32_t seed) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) {
        seed = seed * 1664525 + 1013904223;
        byte = static_cast<std::uint8_t>(seed >> 24);
    }
    return bytes;
}

inline std::vector<Hash> some_hashes(std::size_t count, std::uint32_t seed) {
    std::vector<Hash> hashes(count);
    for (Hash& hash : hashes) hash = sha256d(some_bytes(8, seed++));
    return hashes;
}

inline Hash parent(const Hash& left, const Hash& right) {
    std::array<std::uint8_t, 64> both{};
    for (std::size_t i = 0; i < 32; ++i) both[i] = left[i], both[32 + i] = right[i];
    return sha256d(both);
}

inline Hash merkle_root(std::vector<Hash> level) {
    while (level.size() > 1) {
        if (level.size() % 2 == 1) level.push_back(level.back());
        for (std::size_t i = 0; i < level.size() / 2; ++i) level[i] = parent(level[2 * i], level[2 * i + 1]);
        level.resize(level.size() / 2);
    }
    return level.front();
}

/// Whether a hash, a number of which the last byte is the most significant, is at most a target, which begins with it.
inline bool meets(const Hash& hash, const Hash& target) {
    for (std::size_t i = 0; i < 32; ++i) {
        if (hash[31 - i] != target[i]) return hash[31 - i] < target[i];
    }
    return true;
}

}  // namespace gpuminer::test
