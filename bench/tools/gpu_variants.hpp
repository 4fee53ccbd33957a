// Usable GPUs of this machine and the times of their kernel variants.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <vector>

#include "host/gpu/engine.hpp"

namespace gpuminer::bench {

struct OpenGpu {
    std::unique_ptr<Device> device;
    gpu::Engine* engine;  ///< the device's own
};

/// Every usable one, through every API; what cannot be used goes to `notes`, a line each.
[[nodiscard]] std::vector<OpenGpu> open_gpus(bool software_too, std::ostream& notes);

struct VariantTimes {
    bool rolled = false;
    std::uint32_t versions = 1;
    gpu::KernelVariant variant;
    std::uint64_t hashes = 0;     ///< of each round
    std::vector<double> seconds;  ///< steady_clock time of each round's scan, ascending

    /// Hashes per second that a share of the rounds (0 … 1) stayed below; 0.5: the median.
    [[nodiscard]] double rate(double quantile) const;
};

/// Times every variant of both forms, `rounds` times about 0.1 s each, the variants taking turns; a first round is
/// dropped. Throws DeviceError.
[[nodiscard]] std::vector<VariantTimes> time_variants(gpu::Engine& engine, unsigned rounds);

}  // namespace gpuminer::bench
