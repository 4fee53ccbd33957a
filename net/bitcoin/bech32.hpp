// Bech32 (BIP 173) and bech32m (BIP 350): text with a checksum.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/text/bytes.hpp"

namespace gpuminer::net {

enum class Bech32Checksum { kBech32, kBech32m };

struct Bech32Text {
    std::string prefix;  ///< the human-readable part, in lower case
    Bytes values;        ///< 0…31 each, without the checksum
    Bech32Checksum checksum = Bech32Checksum::kBech32;
};

/// At most 90 characters, upper or lower case but not both. Throws InputError: the part of a sentence that says what
/// is wrong ("it mixes upper-case and lower-case letters").
[[nodiscard]] Bech32Text decode_bech32(std::string_view text);

/// Bytes from groups of five bits. Throws InputError (in the same way) for more than four bits of padding or any that
/// is not zero.
[[nodiscard]] Bytes bytes_from_5_bits(const Bytes& values, std::size_t first);

}  // namespace gpuminer::net
