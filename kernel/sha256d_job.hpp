// A device's job: one header, or several versions of it, with everything that does not depend on the nonce
// already computed (binding time "per job", see HACKING.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/scan_types.hpp"

namespace gpuminer {

/// The candidates of one scan, in no particular order. Bounded: an easy target can make every nonce a
/// candidate. When it overflows the caller halves the range and scans again.
class Candidates {
public:
    static constexpr std::size_t kCapacity = 1u << 16;

    void clear() {
        items_.clear();
        overflow_ = false;
    }
    void push(Candidate candidate) {
        if (items_.size() < kCapacity) {
            items_.push_back(candidate);
        } else {
            overflow_ = true;
        }
    }
    [[nodiscard]] bool overflow() const { return overflow_; }
    [[nodiscard]] const std::vector<Candidate>& items() const { return items_; }

private:
    std::vector<Candidate> items_;
    bool overflow_ = false;
};

/// One unit of search: immutable once built, shared by all devices.
class Sha256dJob {
public:
    /// `header`: 80 bytes as serialised; its version and nonce fields are ignored.
    /// `versions`: the version fields to search, as numbers; at least one. With one the fixed-header
    /// program runs, with more the rolled one, which shares the nonce's message schedule among them.
    /// `target_top`: the 256-bit target's most significant 32 bits.
    Sha256dJob(std::span<const std::uint8_t, 80> header, std::span<const std::uint32_t> versions,
               std::uint32_t target_top);

    [[nodiscard]] const std::vector<std::uint32_t>& versions() const { return versions_; }
    [[nodiscard]] bool rolled() const { return versions_.size() > 1; }
    [[nodiscard]] std::uint32_t target_top() const { return target_top_; }
    [[nodiscard]] std::uint32_t sieve_mask() const { return sieve_mask_of(target_top_); }

    /// SHA-256 state after the header's first 64 bytes, one per version (FIPS 180-4 word order).
    [[nodiscard]] std::span<const std::array<std::uint32_t, 8>> midstates() const { return midstates_; }
    /// The header's bytes 64…75 as big-endian message words: end of merkle root, time, nBits.
    [[nodiscard]] const std::array<std::uint32_t, 3>& tail() const { return tail_; }

    /// The residual program's table of job words (`job(i)` in the printed text).
    [[nodiscard]] std::span<const std::uint32_t> job_words() const { return job_words_; }
    /// The table of words that also depend on the version (`version(i)`); empty for the fixed program.
    [[nodiscard]] std::span<const std::uint32_t> version_words(std::size_t version_index) const;

private:
    std::vector<std::uint32_t> versions_;
    std::uint32_t target_top_;
    std::vector<std::array<std::uint32_t, 8>> midstates_;
    std::array<std::uint32_t, 3> tail_{};
    std::vector<std::uint32_t> job_words_;
    std::vector<std::uint32_t> version_words_;  // versions × words, one version after the other
    std::size_t version_stride_ = 0;
};

}  // namespace gpuminer
