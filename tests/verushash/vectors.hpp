// Recorded outputs of the reference implementation (tests/data/README.md), and the inputs that they are of.
#pragma once

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/sha.h>

#include "host/text/bytes.hpp"
#include "host/text/text.hpp"

namespace gpuminer::test {

using Fields = std::vector<std::string>;

/// The lines of tests/data/verushash/NAME without the first, which names the columns. Never empty.
inline std::vector<Fields> verushash_data(const std::string& name) {
    const std::string path = "tests/data/verushash/" + name;
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line))
        throw std::runtime_error("cannot read " + path + "; run the tests in the root folder");
    std::vector<Fields> lines;
    while (std::getline(file, line)) {
        line += ',';  // so that an empty last field is one
        std::istringstream stream(line);
        Fields& fields = lines.emplace_back();
        for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    }
    if (lines.empty()) throw std::runtime_error("no vectors in " + path);
    return lines;
}

inline Bytes from_hex(std::string_view digits) {
    Bytes bytes(digits.size() / 2);
    decode_hex(digits, bytes);
    return bytes;
}

/// SHA-256 of outputs one after the other.
class Collected {
public:
    void add(std::span<const std::uint8_t> output) { outputs_.insert(outputs_.end(), output.begin(), output.end()); }
    [[nodiscard]] std::string hex() const {
        Bytes digest(SHA256_DIGEST_LENGTH);
        SHA256(outputs_.data(), outputs_.size(), digest.data());
        return to_hex(digest);
    }

private:
    Bytes outputs_;
};

/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014); eight bytes a number,
/// little-endian, of which the last is cut short.
class RandomBytes {
public:
    explicit RandomBytes(std::uint64_t seed) : state_(seed) {}

    Bytes take(std::size_t size) {
        Bytes bytes(size);
        for (std::size_t i = 0; i < size; i += 8)
            store_le(std::span(bytes).subspan(i, std::min<std::size_t>(8, size - i)), next());
        return bytes;
    }

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

private:
    std::uint64_t state_;
};

}  // namespace gpuminer::test
