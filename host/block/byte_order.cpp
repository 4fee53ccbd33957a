#include "host/block/byte_order.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace gpuminer {
namespace {

using Bytes = decltype(BlockHeader::bytes);

constexpr std::uint32_t kGenesisTime = 1231006505;
constexpr std::size_t kWord = 4;  // bytes

bool makes_sense(const BlockHeader& header) { return is_target(header.nbits()) && header.time() >= kGenesisTime; }

/// As getwork and some pools' tools print headers.
BlockHeader with_swapped_words(const BlockHeader& header) {
    BlockHeader other = header;
    for (auto word = other.bytes.begin(); word != other.bytes.end(); word += kWord) std::reverse(word, word + kWord);
    return other;
}

BlockHeader reversed(const BlockHeader& header) {
    BlockHeader other = header;
    std::ranges::reverse(other.bytes);
    return other;
}

}  // namespace

std::string byte_order_hint(const BlockHeader& header) {
    if (header.algorithm != &kSha256d || makes_sense(header)) return "";
    const std::pair<const char*, BlockHeader> readings[] = {
        {"the bytes of each 4-byte word swapped", with_swapped_words(header)},
        {"all bytes reversed", reversed(header)},
    };
    for (const auto& [how, other] : readings) {
        if (makes_sense(other)) return fmt::format("with {} it would be a plausible header", how);
    }
    return "";
}

std::string byte_order_hint(const Hash256& target) {
    // Beyond 2^100 hashes nobody ever found one; those of difficulty 10^18 are still to come.
    constexpr double kNeverFound = 1e30, kUsual = 1e18;
    Hash256 reversed = target;
    std::ranges::reverse(reversed.bytes);
    if (difficulty_of(target) < kNeverFound || difficulty_of(reversed) > kUsual) return "";
    return fmt::format("with its bytes reversed, {}, it would be of difficulty {:.4g}", reversed.hex(),
                       difficulty_of(reversed));
}

}  // namespace gpuminer
