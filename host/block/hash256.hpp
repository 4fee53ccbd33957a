// 256-bit values in display order, where bytes[0] is the most significant, as block explorers print a hash; and hashes
// in internal order: the bytes as SHA-256 gives them, as they stand in headers, transactions and merkle trees.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "host/text/bytes.hpp"

namespace gpuminer {

/// A hash or a target as a 256-bit number, most significant byte first; compares as a number.
struct Hash256 {
    std::array<std::uint8_t, 32> bytes{};

    friend auto operator<=>(const Hash256&, const Hash256&) = default;  // NOLINT(modernize-use-nullptr): a false alarm
    /// The most significant 32 bits, as a number.
    [[nodiscard]] std::uint32_t top_word() const { return load_be32(bytes); }
    /// 64 lower-case hex digits in display order.
    [[nodiscard]] std::string hex() const;
};

/// Compact form of a target (nBits, https://developer.bitcoin.org/reference/block_chain.html#target-nbits).
/// Throws InputError when it is negative, overflows 256 bits or is zero.
[[nodiscard]] Hash256 target_from_nbits(std::uint32_t nbits);
/// Whether it does not throw.
[[nodiscard]] bool is_target(std::uint32_t nbits);
/// 8 hex digits as people write nBits ("1d00ffff"; a header stores the bytes in reverse). Throws InputError.
[[nodiscard]] std::uint32_t nbits_from_hex(std::string_view hex);
/// 64 hex digits, display order. Throws InputError "expected WHAT of 64 hex digits, got …"; `what`: "a block hash".
[[nodiscard]] Hash256 hash256_from_hex(std::string_view hex, std::string_view what);
/// The same for "a target"; zero is a legal one here (nothing meets it).
[[nodiscard]] Hash256 target_from_hex(std::string_view hex);
/// floor(0x00000000ffff0000…00 / difficulty), exactly, from a decimal number ("1", "0.001", "1e12").
/// Throws InputError when it is not a positive number or the target would be zero or over 256 bits.
[[nodiscard]] Hash256 target_from_difficulty(std::string_view difficulty);
/// The same, exactly, of a binary number, but at least 1 and at most 2^256-1. Throws InputError when it is not positive
/// and finite.
[[nodiscard]] Hash256 target_from_difficulty(double difficulty);
/// Inverse of the above, approximately, for people. Infinity for a zero target.
[[nodiscard]] double difficulty_of(const Hash256& target);
/// Hashes expected per hit of difficulty 1, as pools count them: 2^32, short of the exact number by 15 in a million.
inline constexpr double kHashesPerDifficulty = 4294967296.0;
/// Hashes expected per hit: 2^256 / (target + 1).
[[nodiscard]] double expected_hashes(const Hash256& target);

/// Internal order. Block explorers and JSON-RPC show the bytes reversed (Hash256).
using Digest = std::array<std::uint8_t, 32>;

/// SHA-256 of SHA-256 (FIPS 180-4), by the oracle (host/block/sha256.hpp).
[[nodiscard]] Digest double_sha256_digest(std::span<const std::uint8_t> data);
[[nodiscard]] Hash256 display_order(const Digest& digest);
[[nodiscard]] Digest internal_order(const Hash256& hash);

}  // namespace gpuminer
