// Of the system's folder, as SharedLibrary takes them from there alone: no older driver's NVML, which is elsewhere.
#include "host/system/driver_libraries.hpp"

namespace gpuminer {

const char* const kCudaLibrary = "nvcuda.dll";
const char* const kNvmlLibrary = "nvml.dll";
const char* const kVulkanLibrary = "vulkan-1.dll";

std::span<const char* const> opencl_libraries() {
    static constexpr const char* kNames[] = {"OpenCL.dll"};
    return kNames;
}

}  // namespace gpuminer
