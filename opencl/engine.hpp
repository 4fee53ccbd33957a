// The OpenCL engine: one device, its compiled kernels and its launches.
#pragma once

#include <memory>

#include "host/gpu/engine.hpp"
#include "opencl/probe.hpp"

namespace gpuminer::opencl {

/// `api` has to outlive it. Throws DeviceError.
[[nodiscard]] std::unique_ptr<gpu::Engine> make_engine(const Api& api, ListedDevice device);

}  // namespace gpuminer::opencl
