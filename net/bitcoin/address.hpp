// Addresses, and the output scripts that they stand for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/text/bytes.hpp"
#include "net/bitcoin/chain.hpp"

namespace gpuminer::net {

enum class AddressKind { kP2pkh, kP2sh, kP2wpkh, kP2wsh, kP2tr };
/// "P2PKH", …
[[nodiscard]] std::string_view name_of(AddressKind kind);

struct Address {
    std::string text;  ///< as it was given
    AddressKind kind = AddressKind::kP2pkh;
    Bytes script;               ///< scriptPubKey of an output that pays it
    std::vector<Chain> chains;  ///< the networks that it is valid on; at least one

    [[nodiscard]] bool is_valid_on(Chain chain) const;
};

/// Base58Check (P2PKH, P2SH), bech32 (BIP 173: P2WPKH, P2WSH) or bech32m (BIP 350: taproot). Throws InputError: what is
/// wrong with it; witness versions that have no meaning yet are refused too, since anybody may take what is paid to
/// them.
[[nodiscard]] Address parse_address(std::string_view text);

/// Whether a text is meant as an address, right or wrong: by its beginning ("bc1…") or by its length and characters.
[[nodiscard]] bool looks_like_address(std::string_view text);

/// Throws InputError "… is an address of the main network, but this is regtest".
void require_valid_on(const Address& address, Chain chain);

}  // namespace gpuminer::net
