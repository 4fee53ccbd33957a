// VerusHash 2.2 as one of the program's algorithms, and its job for devices.
#pragma once

#include <cstdint>
#include <span>

#include "host/block/algorithm.hpp"
#include "kernel/scan_job.hpp"
#include "verushash/block.hpp"

namespace gpuminer {

extern const Algorithm kVerusHash;

namespace verushash {

/// One header, whose only version is its own.
class VerusJob final : public ScanJob {
public:
    /// Throws std::invalid_argument for more versions than one, or another than the header's.
    VerusJob(const Header& header, std::span<const std::uint32_t> versions, std::uint32_t target_top);

    [[nodiscard]] const Header& header() const { return header_; }
    /// No other job of this process has the same: a thread keeps what it has computed for a job.
    [[nodiscard]] std::uint64_t serial_number() const { return serial_number_; }

private:
    Header header_;
    std::uint64_t serial_number_;
};

}  // namespace verushash
}  // namespace gpuminer
