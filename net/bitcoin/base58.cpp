#include "net/bitcoin/base58.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

constexpr std::string_view kBase58Characters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::size_t kLongestBase58 = 112;
constexpr std::size_t kChecksumSize = 4;

// The number that the digits write, as bytes, the most significant first; each leading '1' is a byte zero.
Bytes decode_base58(std::string_view text) {
    Bytes number;  // the least significant byte first
    for (const char c : text) {
        const std::size_t digit = kBase58Characters.find(c);
        if (digit == std::string_view::npos) {
            throw InputError(fmt::format("it has a character that base58 does not use, {}", shown(c)));
        }
        std::size_t carry = digit;
        for (std::uint8_t& byte : number) {
            carry += std::size_t{byte} * 58;
            byte = static_cast<std::uint8_t>(carry);
            carry >>= 8;
        }
        if (carry != 0) number.push_back(static_cast<std::uint8_t>(carry));  // below 58
    }
    const std::size_t zeros = std::min(text.find_first_not_of('1'), text.size());
    number.insert(number.end(), zeros, 0);
    std::reverse(number.begin(), number.end());
    return number;
}

}  // namespace

Bytes decode_base58check(std::string_view text) {
    if (text.size() > kLongestBase58) {
        throw InputError(fmt::format("it has {} characters, but at most {} are allowed", text.size(), kLongestBase58));
    }
    Bytes bytes = decode_base58(text);
    if (bytes.size() <= kChecksumSize) throw InputError("it is too short to have a checksum");
    const std::size_t size = bytes.size() - kChecksumSize;
    const Digest digest = double_sha256_digest({bytes.data(), size});
    if (!std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), digest.begin())) {
        throw InputError("its checksum is wrong; a character may be mistyped");
    }
    bytes.resize(size);
    return bytes;
}

}  // namespace gpuminer::net
