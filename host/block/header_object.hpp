// A block header as the JSON object that `bitcoin-cli getblockheader HASH` prints.
#pragma once

#include <string_view>

#include "host/block/header.hpp"

namespace gpuminer {

/// Whether the text begins as an object does, which no header in hex digits does.
[[nodiscard]] bool is_object(std::string_view text);

/// Bitcoin's header, of the fields version or versionHex, previousblockhash (of every block but that of height 0),
/// merkleroot, time, bits and nonce; others are passed over. Throws InputError for what is none, and where it is not
/// the header of the object's "hash".
[[nodiscard]] BlockHeader header_of_object(std::string_view text);

}  // namespace gpuminer
