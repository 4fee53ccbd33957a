// Per-header precomputation: midstate, tail, and the fixed-header program's table of job words. Needs no library:
// baremetal/ has none.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/sha256.hpp"

namespace gpuminer {

/// SHA-256 state after a header's first 64 bytes (FIPS 180-4 word order).
using Midstate = sha256::State<std::uint32_t>;
/// A header's bytes 64…75 as big-endian message words: end of merkle root, time, nBits.
using Tail = std::array<std::uint32_t, 3>;

/// `header`: 80 bytes as serialised, of which the version field is replaced by `version`, a number.
[[nodiscard]] Midstate midstate_of(const std::uint8_t* header, std::uint32_t version);
[[nodiscard]] Tail tail_of(const std::uint8_t* header);
/// Writes kFixedJobWords words (search_program/sizes.hpp), `job(i)` in the printed text.
void write_fixed_job_words(const Midstate& midstate_words, const Tail& tail_words, std::uint32_t* table);

}  // namespace gpuminer
