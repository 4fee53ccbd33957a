// A block header in other forms than its hex digits: the JSON object that `bitcoin-cli getblockheader HASH` prints, and
// a whole block of Bitcoin, raw or in the hex digits that `bitcoin-cli getblock HASH 0` prints.
#pragma once

#include <cstddef>
#include <string_view>

#include "host/block/header.hpp"

namespace gpuminer {

/// Whether the text begins as an object does, which no header in hex digits does.
[[nodiscard]] bool is_object(std::string_view text);

/// Bitcoin's header, of the fields version or versionHex, previousblockhash (of every block but that of height 0),
/// merkleroot, time, bits and nonce; others are passed over. Throws InputError for what is none, and where it is not
/// the header of the object's "hash".
[[nodiscard]] BlockHeader header_of_object(std::string_view text);

/// Longest text of one: hex digits of 4,000,000 bytes (BIP 141 lets none have more), and line breaks.
inline constexpr std::size_t kLongestBlock = 9'000'000;

/// Whether the text begins as a block: a header, a number of transactions, and one that spends nothing, the coinbase.
[[nodiscard]] bool is_block(std::string_view text);

/// Its header and its transactions, which are not looked at. `text`: one that is_block(). Throws InputError where a
/// character is no hex digit, or half a byte is missing.
[[nodiscard]] HeaderInput read_block(std::string_view text);

}  // namespace gpuminer
