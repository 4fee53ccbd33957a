#include "kernel/scan_job.hpp"

#include <stdexcept>

namespace gpuminer {

ScanJob::ScanJob(std::span<const std::uint32_t> versions, std::uint32_t target_top)
    : versions_(versions.begin(), versions.end()), target_top_(target_top) {
    if (versions_.empty()) throw std::invalid_argument("a scan job needs at least one version");
}

}  // namespace gpuminer
