// A coinbase transaction made by others, read: its height, its lock, its payments. Nothing about its bytes is certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/text/bytes.hpp"

namespace gpuminer::net {

struct CoinbaseOutput {
    std::uint64_t value = 0;  ///< satoshi
    Bytes script;             ///< scriptPubKey
};

// `transaction`: serialised without witness.

/// The outputs, in order. Empty where they cannot be read.
[[nodiscard]] std::vector<CoinbaseOutput> coinbase_outputs(std::span<const std::uint8_t> transaction);
/// The block's height, with which the input's script begins (BIP 34). Empty where it cannot be read.
[[nodiscard]] std::optional<std::uint32_t> coinbase_height(std::span<const std::uint8_t> transaction);
/// Bytes of the input's script. Empty where it cannot be read.
[[nodiscard]] std::optional<std::size_t> coinbase_script_size(std::span<const std::uint8_t> transaction);
/// Whether its nLockTime is the height less one and its nSequence not final, as BIP 54 demands where it is in force.
/// Empty where it cannot be read.
[[nodiscard]] std::optional<bool> follows_bip54(std::span<const std::uint8_t> transaction);
/// "1.5 BTC of 3.125 BTC" where the coinbase pays `script` (a scriptPubKey) something; empty where it does not.
[[nodiscard]] std::string coinbase_payment(std::span<const std::uint8_t> transaction,
                                           std::span<const std::uint8_t> script);

}  // namespace gpuminer::net
