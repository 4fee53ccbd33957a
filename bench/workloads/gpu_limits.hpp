// Limits of GPUs: the rate that the kernel's machine code allows at most (bench/tools/sass_count.py counts it and
// explains the model).
#pragma once

#include <map>
#include <string>

#include "host/gpu/engine.hpp"

namespace gpuminer::bench {

class GpuLimits {
public:
    /// From bench/tools/sass_counts.json as it was when this program was built.
    GpuLimits();

    /// Hashes per second at the device's highest clock, with 8 versions where `rolled`; 0 where nothing is counted for
    /// it (another generation, another API).
    [[nodiscard]] double hashes_per_second(const DeviceInfo& info, const gpu::KernelVariant& variant,
                                           bool rolled) const;

private:
    std::map<std::string, double>
        cycles_per_hash_;  ///< of a multiprocessor, by "sm_90 fixed all-adds", or "ptx sm_90 …"
};

}  // namespace gpuminer::bench
