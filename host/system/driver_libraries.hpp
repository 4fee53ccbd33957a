// The names of the libraries that GPUs' drivers bring, by which SharedLibrary opens them.
#pragma once

#include <span>

namespace gpuminer {

extern const char* const kCudaLibrary;    ///< NVIDIA's driver API
extern const char* const kNvmlLibrary;    ///< NVIDIA's sensors
extern const char* const kVulkanLibrary;  ///< the loader, which opens the drivers
/// The loader of OpenCL: the first of these that is there.
[[nodiscard]] std::span<const char* const> opencl_libraries();

}  // namespace gpuminer
