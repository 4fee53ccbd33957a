// The search kernel (search.cl), compiled by the driver for one device and one variant; the result is kept in the
// cache.
#pragma once

#include "host/gpu/engine.hpp"
#include "opencl/probe.hpp"

namespace gpuminer::opencl {

struct Program {
    Handle<cl_program> program;
    Handle<cl_kernel> kernel;  ///< "search" of search.cl
    std::string cache_key;     ///< where save_program() puts it; empty: it comes from there
};

/// Takes the program from the cache, or builds it from the text. Throws DeviceError, with the beginning of the
/// compiler's log where it is the text that does not build.
[[nodiscard]] Program make_program(const Api& api, cl_context context, const ListedDevice& device,
                                   const gpu::KernelVariant& variant, bool rolled);

/// Keeps what the driver has made of the text. To be called after a first launch: some drivers compile only then.
void save_program(const Api& api, const Program& program);

}  // namespace gpuminer::opencl
