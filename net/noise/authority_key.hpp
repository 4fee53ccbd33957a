// The key by which a pool's operator signs the certificates of its servers, as it stands in a pool's URL.
#pragma once

#include <string_view>

#include "net/noise/curve.hpp"

namespace gpuminer::net {

/// A public key of BIP 340.
using AuthorityKey = XCoordinate;

/// Base58Check of the version 0x0001 (little-endian) and the key. Throws InputError for anything else: the part of a
/// sentence that says what is wrong ("its checksum is wrong; a character may be mistyped").
[[nodiscard]] AuthorityKey parse_authority_key(std::string_view text);

}  // namespace gpuminer::net
