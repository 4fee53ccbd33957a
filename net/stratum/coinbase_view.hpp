// A pool's coinbase transaction, read: its height and its payments. Nothing about its bytes is certain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpuminer::net {

struct CoinbaseOutput {
    std::uint64_t value = 0;           ///< satoshi
    std::vector<std::uint8_t> script;  ///< scriptPubKey
};

// `transaction`: serialised without witness, as StratumJob::coinbase() gives it.

/// The height that the coinbase begins with (BIP 34). Empty where it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> coinbase_height(std::span<const std::uint8_t> transaction);
/// The outputs, in order. Empty where they cannot be read.
[[nodiscard]] std::vector<CoinbaseOutput> coinbase_outputs(std::span<const std::uint8_t> transaction);
/// "1.5 BTC of 3.125 BTC" where the coinbase pays `script` (a scriptPubKey) something; empty where it does not.
[[nodiscard]] std::string coinbase_payment(std::span<const std::uint8_t> transaction,
                                           std::span<const std::uint8_t> script);

}  // namespace gpuminer::net
