// A device's job for SHA-256d: one header, or several versions of it, with everything that does not depend on the nonce
// already computed (binding time "per job", see docs/design/kernel.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/scan_job.hpp"

namespace gpuminer {

class Sha256dJob final : public ScanJob {
public:
    /// `header`: 80 bytes as serialised; its version and nonce fields are ignored.
    /// `versions`: with one the fixed-header program runs, with more the rolled one, which shares the nonce's message
    /// schedule among them.
    /// Throws std::invalid_argument for another size, and for no version.
    Sha256dJob(std::span<const std::uint8_t> header, std::span<const std::uint32_t> versions, std::uint32_t target_top);

    /// SHA-256 state after the header's first 64 bytes, one per version (FIPS 180-4 word order).
    [[nodiscard]] std::span<const std::array<std::uint32_t, 8>> midstates() const { return midstates_; }
    /// The header's bytes 64…75 as big-endian message words: end of merkle root, time, nBits.
    [[nodiscard]] const std::array<std::uint32_t, 3>& tail() const { return tail_; }

    /// The residual program's table of job words (`job(i)` in the printed text).
    [[nodiscard]] std::span<const std::uint32_t> job_words() const { return job_words_; }
    /// The table of words that also depend on the version (`version(i)`); empty for the fixed program.
    [[nodiscard]] std::span<const std::uint32_t> version_words(std::size_t version_index) const;

private:
    std::vector<std::array<std::uint32_t, 8>> midstates_;
    std::array<std::uint32_t, 3> tail_{};
    std::vector<std::uint32_t> job_words_;
    std::vector<std::uint32_t> version_words_;  // versions × words, one version after the other
    std::size_t version_stride_ = 0;
};

}  // namespace gpuminer
