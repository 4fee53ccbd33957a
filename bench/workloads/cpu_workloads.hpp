// Workloads that measure the CPU's kernels. The kernels are parameters: tests pass broken ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/workloads/workload.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/isa.hpp"
#include "host/block/hash256.hpp"

namespace gpuminer::bench {

/// Each of these that a CPU with these features can run, with one header version and with several. Throws
/// VerificationError for one that does not find block 100000.
[[nodiscard]] Rows kernel_rows(const Setting& setting, std::span<const cpu::Isa> isas,
                               const cpu::Features& features = cpu::detect_features());

/// One step of the ladder from the naive loop to the kernel.
struct Rung {
    std::string name;
    std::string remark;       ///< what it does for each nonce
    std::string compared_to;  ///< the rung whose work it reduces; empty: none
    unsigned versions;        ///< hashes per nonce
    /// Searches the range for the target; appends nonces with the block's own version.
    std::function<void(const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits)> search;
};
/// What each step has to find before it is measured, and what is said below the table.
struct LadderCheck {
    Hash256 target;
    NonceRange range;
    std::vector<std::uint32_t> expected;  ///< ascending
    const char* hits;                     ///< "OpenSSL's hits around block 100000"
    const char* text;
};
[[nodiscard]] LadderCheck check_around_block_100000();
/// The steps, each with its gain over the one that it is compared to, and over the first. Throws VerificationError for
/// one that does not find exactly what is expected.
[[nodiscard]] Rows ladder_rows(const Setting& setting, std::vector<Rung> rungs,
                               const LadderCheck& check = check_around_block_100000());

/// Same parameters as sha256d64().
using HashBatch = void (*)(std::uint8_t* out, const std::uint8_t* in, std::size_t count);
/// Batches of 1 … 65536 inputs against one at a time, then each kernel. Throws VerificationError for hashes that are
/// not OpenSSL's, in any round.
[[nodiscard]] Rows sha256d64_rows(const Setting& setting, HashBatch hash, std::span<const cpu::BatchKernel> kernels,
                                  const cpu::Features& features = cpu::detect_features());

}  // namespace gpuminer::bench
