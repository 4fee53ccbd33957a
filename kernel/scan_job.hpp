// ScanJob: the base of all algorithms' device jobs; candidates.
#pragma once

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

/// One unit of search: nonces of one header, or of several versions of it, below a target. Immutable once built, shared
/// by all devices. What else there is depends on the algorithm: devices take as<Sha256dJob>().
class ScanJob {
public:
    virtual ~ScanJob() = default;

    /// The version fields to search, as numbers; at least one.
    [[nodiscard]] const std::vector<std::uint32_t>& versions() const { return versions_; }
    [[nodiscard]] bool rolled() const { return versions_.size() > 1; }
    /// The 256-bit target's most significant 32 bits.
    [[nodiscard]] std::uint32_t target_top() const { return target_top_; }
    [[nodiscard]] std::uint32_t sieve_mask() const { return sieve_mask_of(target_top_); }

    /// Throws std::bad_cast for another algorithm's job: a device gets those of its own.
    template <typename Job>
    [[nodiscard]] const Job& as() const {
        return dynamic_cast<const Job&>(*this);
    }

protected:
    /// Throws std::invalid_argument where there is no version.
    ScanJob(std::span<const std::uint32_t> versions, std::uint32_t target_top);
    ScanJob(const ScanJob&) = default;
    ScanJob(ScanJob&&) = default;
    ScanJob& operator=(const ScanJob&) = default;
    ScanJob& operator=(ScanJob&&) = default;

private:
    std::vector<std::uint32_t> versions_;
    std::uint32_t target_top_;
};

}  // namespace gpuminer
