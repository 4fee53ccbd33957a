// The CUDA engine: one NVIDIA GPU, its stream and its memory.
#pragma once

#include <memory>

#include "host/gpu/engine.hpp"

namespace gpuminer::cuda {

/// The device of a usable probe. Throws DeviceError.
[[nodiscard]] std::unique_ptr<gpu::Engine> make_engine(const Probe& probe);

}  // namespace gpuminer::cuda
