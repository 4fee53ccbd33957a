// Base58Check: bytes with a checksum, as Bitcoin's first addresses are written.
#pragma once

#include <string_view>

#include "host/text/bytes.hpp"

namespace gpuminer::net {

/// The bytes without their checksum (the first four bytes of the double SHA-256). Throws InputError: the part of a
/// sentence that says what is wrong. Texts of more than 112 characters (Bitcoin's longest base58 text) are refused.
[[nodiscard]] Bytes decode_base58check(std::string_view text);

}  // namespace gpuminer::net
