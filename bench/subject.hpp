// What all benchmark programs search: real block 100000.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/isa.hpp"
#include "host/header.hpp"
#include "kernel/scan_job.hpp"

namespace gpuminer::bench {

/// Its header, with the true nonce.
[[nodiscard]] BlockHeader block_100000();

/// `count` header versions: the block's own, then others that differ in the bits that may be rolled (BIP 320).
[[nodiscard]] std::vector<std::uint32_t> versions_of_block(unsigned count);

/// A range around the true nonce, and the nonces in it that pass `kSievedTop` by OpenSSL's account: what a
/// correct search returns, in ascending order. The true nonce is among them.
inline constexpr std::uint32_t kSievedTop = 0x00ffffff;  // one nonce in 256
[[nodiscard]] NonceRange verified_range();
[[nodiscard]] std::vector<std::uint32_t> expected_nonces();

/// Whether `isa` finds exactly these with the block's own version, among `versions` of them.
[[nodiscard]] bool finds_the_block(const cpu::Isa& isa, unsigned versions);

}  // namespace gpuminer::bench
