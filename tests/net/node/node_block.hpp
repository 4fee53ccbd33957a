// A block as the tests' node sees it: its hash, and the rules that it holds its coinbase to. Blocks are hex digits.
#pragma once

#include <cstdint>
#include <string>

namespace gpuminer::test {

/// Of the header, display order, by OpenSSL.
[[nodiscard]] std::string hash_of_block(const std::string& hex);
/// Why a node on a chain where BIP 54 is in force refuses the coinbase of a block at this height; empty: it takes it.
[[nodiscard]] std::string bip54_fault(const std::string& hex, std::uint64_t height);

}  // namespace gpuminer::test
