#include "net/bitcoin/bech32.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

constexpr std::string_view kBech32Characters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t kLongestBech32 = 90;
constexpr std::size_t kChecksumLength = 6;
constexpr std::uint32_t kBech32Constant = 1;
constexpr std::uint32_t kBech32mConstant = 0x2bc830a3;

// The code's remainder, one value of five bits after the other (BIP 173).
class Remainder {
public:
    void add(std::uint32_t value) {
        constexpr std::uint32_t kGenerator[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
        const std::uint32_t top = remainder_ >> 25;
        remainder_ = (remainder_ & 0x1ffffff) << 5 ^ value;
        for (unsigned bit = 0; bit < 5; ++bit) {
            if ((top >> bit & 1) != 0) remainder_ ^= kGenerator[bit];
        }
    }
    [[nodiscard]] std::uint32_t value() const { return remainder_; }

private:
    std::uint32_t remainder_ = 1;
};

std::uint32_t remainder_of(std::string_view prefix, const Bytes& values) {
    Remainder remainder;
    for (const char c : prefix) remainder.add(static_cast<std::uint8_t>(c) >> 5);
    remainder.add(0);
    for (const char c : prefix) remainder.add(static_cast<std::uint8_t>(c) & 31);
    for (const std::uint8_t value : values) remainder.add(value);
    return remainder.value();
}

std::string lower_case(std::string_view text) {
    for (const char c : text) {
        if (c < 0x21 || c > 0x7e) throw InputError(fmt::format("it has an invalid character, {}", shown(c)));
    }
    std::string lower = ascii_lower(text);
    const bool has_lower = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (has_lower && lower != text) throw InputError("it mixes upper-case and lower-case letters");
    return lower;
}

}  // namespace

Bech32Text decode_bech32(std::string_view text) {
    if (text.size() > kLongestBech32) {
        throw InputError(fmt::format("it has {} characters, but at most {} are allowed", text.size(), kLongestBech32));
    }
    const std::string lower = lower_case(text);
    const std::size_t separator = lower.rfind('1');
    if (separator == std::string::npos) throw InputError("it has no '1' between its prefix and its data");
    if (separator == 0) throw InputError("it has no prefix before the '1'");
    if (lower.size() - separator - 1 < kChecksumLength) throw InputError("it is too short to have a checksum");

    Bech32Text decoded;
    decoded.prefix = lower.substr(0, separator);
    for (const char c : lower.substr(separator + 1)) {
        const std::size_t value = kBech32Characters.find(c);
        if (value == std::string_view::npos) {
            throw InputError(fmt::format("it has a character that bech32 does not use, {}", shown(c)));
        }
        decoded.values.push_back(static_cast<std::uint8_t>(value));
    }
    const std::uint32_t remainder = remainder_of(decoded.prefix, decoded.values);
    if (remainder != kBech32Constant && remainder != kBech32mConstant) {
        throw InputError("its checksum is wrong; a character may be mistyped");
    }
    decoded.checksum = remainder == kBech32Constant ? Bech32Checksum::kBech32 : Bech32Checksum::kBech32m;
    decoded.values.erase(decoded.values.end() - kChecksumLength, decoded.values.end());
    return decoded;
}

Bytes bytes_from_5_bits(const Bytes& values, std::size_t first) {
    Bytes bytes;
    std::uint32_t buffer = 0;
    unsigned bits = 0;  // of the buffer, not yet written
    for (std::size_t i = first; i < values.size(); ++i) {
        buffer = (buffer << 5 | values[i]) & 0xfff;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            bytes.push_back(static_cast<std::uint8_t>(buffer >> bits));
        }
    }
    if (bits > 4) throw InputError("it has one character more than its data needs");
    if ((buffer & ((1U << bits) - 1)) != 0) throw InputError("the padding bits of its last character are not zero");
    return bytes;
}

}  // namespace gpuminer::net
