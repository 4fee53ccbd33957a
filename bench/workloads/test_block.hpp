// The block that the benchmarks of the CPU kernels search: real block 100000.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/isa.hpp"
#include "host/block/header.hpp"
#include "kernel/sha256d_job.hpp"

namespace gpuminer::bench {

/// Its header, with the true nonce.
[[nodiscard]] BlockHeader block_100000();

/// `count` header versions: the block's own, then others that differ in the bits that may be rolled (BIP 320).
[[nodiscard]] std::vector<std::uint32_t> versions_of_block(unsigned count);

/// A range around the true nonce, and the nonces in it that pass `kSievedTop` by OpenSSL's account with one of
/// versions_of_block(): what a correct search returns, in ascending order. With the block's own version (index 0) the
/// true nonce is among them.
inline constexpr std::uint32_t kSievedTop = 0x00ffffff;  // one nonce in 256
[[nodiscard]] NonceRange verified_range();
[[nodiscard]] std::vector<std::uint32_t> expected_nonces(unsigned version_index = 0);

/// Whether `isa` finds exactly these, with each of so many versions (of more than kCheckedVersions: with the first).
inline constexpr unsigned kCheckedVersions = 16;
[[nodiscard]] bool finds_the_block(const cpu::Isa& isa, unsigned versions);

}  // namespace gpuminer::bench
