#include "host/block/header_text.hpp"

#include <bit>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"

namespace gpuminer {

std::string utc_time(std::uint32_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm utc{};
    gmtime_r(&time, &utc);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                       utc.tm_hour, utc.tm_min, utc.tm_sec);
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
