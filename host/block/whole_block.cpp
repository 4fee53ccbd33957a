#include "host/block/whole_block.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kHeaderSize = 80;
constexpr std::size_t kOutpointSize = 36;
// To the end of the coinbase's outpoint, where the fields before it are longest; every block is longer than that.
constexpr std::size_t kBeginning = kHeaderSize + 9 + 4 + 2 + 1 + kOutpointSize;

bool begins_block(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < kBeginning) return false;
    std::size_t at = kHeaderSize;
    const unsigned count = bytes[at];  // CompactSize: the number itself, or how many bytes it has
    at += count < 0xfd ? 1 : 1 + (std::size_t{2} << (count - 0xfd));
    at += 4;                                                 // the coinbase's version
    if (bytes[at] == 0 && bytes[at + 1] == 1) at += 2;       // marker and flag of BIP 144
    if (bytes[at++] != 1) return false;                      // inputs
    const auto outpoint = bytes.subspan(at, kOutpointSize);  // null: 32 times 00, four times ff
    return std::ranges::all_of(outpoint.first(32), [](std::uint8_t byte) { return byte == 0; }) &&
           std::ranges::all_of(outpoint.last(4), [](std::uint8_t byte) { return byte == 0xff; });
}

Bytes raw_bytes(std::string_view text) { return {text.begin(), text.end()}; }

bool is_raw_block(std::string_view text) { return begins_block(raw_bytes(text.substr(0, kBeginning))); }

}  // namespace

bool is_block(std::string_view text) {
    constexpr std::size_t kGenerous = 4096;  // with white space
    if (is_raw_block(text)) return true;
    const std::string digits = hex_digits_of(text.substr(0, kGenerous)).substr(0, 2 * kBeginning);
    if (digits.size() < 2 * kBeginning || !is_hex(digits)) return false;
    Bytes bytes(kBeginning);
    decode_hex(digits, bytes);
    return begins_block(bytes);
}

HeaderInput read_block(std::string_view text) {
    Bytes block;
    if (is_raw_block(text)) {
        block = raw_bytes(text);
    } else {
        const std::string digits = hex_digits_of(text);
        require_hex_digits(digits, "a whole block in hex digits");
        if (digits.size() % 2 != 0)
            throw InputError(fmt::format("expected a whole block in hex digits, got {}, an odd number", digits.size()));
        block.resize(digits.size() / 2);
        decode_hex(digits, block);
    }
    const auto body = block.begin() + kHeaderSize;
    HeaderInput input{BlockHeader(kSha256d), true, Bytes(body, block.end())};
    std::copy(block.begin(), body, input.header.bytes.begin());
    return input;
}

}  // namespace gpuminer
