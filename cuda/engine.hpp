// One CUDA device as a gpu::Engine.
#pragma once

#include <memory>

#include "host/gpu/engine.hpp"

namespace gpuminer::cuda {

/// `probe` is a usable one of probe_devices(). Throws DeviceError.
[[nodiscard]] std::unique_ptr<gpu::Engine> make_engine(const Probe& probe, const DeviceOptions& options);

}  // namespace gpuminer::cuda
