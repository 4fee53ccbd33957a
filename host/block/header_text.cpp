#include "host/block/header_text.hpp"

#include <bit>
#include <chrono>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/document.hpp"
#include "host/text/text.hpp"

namespace gpuminer {

std::string utc_time(std::uint32_t seconds) {
    const UtcText text = utc_text(std::chrono::system_clock::time_point(std::chrono::seconds(seconds)));
    const std::string_view whole = text.data();  // 2010-12-29T11:57:43Z
    constexpr std::size_t kDate = 10, kClock = 8;
    return fmt::format("{} {} UTC", whole.substr(0, kDate), whole.substr(kDate + 1, kClock));
}

unsigned leading_zero_bits(const Hash256& value) {
    unsigned bits = 0;
    for (const std::uint8_t byte : value.bytes) {
        bits += static_cast<unsigned>(std::countl_zero(byte));
        if (byte != 0) break;
    }
    return bits;
}

nlohmann::ordered_json header_json(const BlockHeader& header) {
    return {{"version", header.version()},
            {"version_hex", hex8(header.version())},
            {"previous_hash", header.previous_hash().hex()},
            {"merkle_root", header.merkle_root().hex()},
            {"time", header.time()},
            {"time_utc", utc_time(header.time())},
            {"nbits", hex8(header.nbits())},
            {"nonce", header.nonce()},
            {"nonce_hex", hex8(header.nonce())},
            {"hex", header.hex()}};
}

}  // namespace gpuminer
