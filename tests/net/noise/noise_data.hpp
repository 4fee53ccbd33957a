// Published vectors and the recorded conversation of tests/data/noise, with the client's random bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "net/noise/curve.hpp"

namespace gpuminer::test {

inline Bytes from_hex(std::string_view digits) {
    Bytes bytes(digits.size() / 2);
    decode_hex(digits, bytes);
    return bytes;
}
inline std::string text_from_hex(std::string_view digits) {
    const Bytes bytes = from_hex(digits);
    return {bytes.begin(), bytes.end()};
}
template <std::size_t Size>
std::array<std::uint8_t, Size> array_from_hex(std::string_view digits) {
    std::array<std::uint8_t, Size> bytes{};
    decode_hex(digits, bytes);
    return bytes;
}

inline std::ifstream noise_file(const std::string& name) {
    std::ifstream file("tests/data/noise/" + name);
    if (!file) throw std::runtime_error("cannot read tests/data/noise/" + name + "; run the tests in the root folder");
    return file;
}

/// The lines of a file without the first, which names the columns.
inline std::vector<std::vector<std::string>> noise_rows(const std::string& name) {
    std::ifstream file = noise_file(name);
    std::vector<std::vector<std::string>> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream fields(line + ',');  // so that an empty last field is one
        auto& row = rows.emplace_back();
        for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    }
    return rows;
}

inline const nlohmann::json& transcript() {
    static const nlohmann::json read = [] {
        std::ifstream file = noise_file("transcript.json");
        return nlohmann::json::parse(file);
    }();
    return read;
}

/// Each draw is the next of these, in hex; no further one is expected.
class FixedDraw {
public:
    explicit FixedDraw(std::vector<std::string> draws) : draws_(std::move(draws)) {}
    void operator()(std::span<std::uint8_t> bytes) {
        if (next_ >= draws_.size()) throw std::logic_error("more random bytes were drawn than recorded");
        decode_hex(draws_[next_++], bytes);
    }

private:
    std::vector<std::string> draws_;
    std::size_t next_ = 0;
};

}  // namespace gpuminer::test
