#include "host/system/driver_libraries.hpp"

namespace gpuminer {

const char* const kCudaLibrary = "libcuda.so.1";
const char* const kNvmlLibrary = "libnvidia-ml.so.1";
const char* const kVulkanLibrary = "libvulkan.so.1";

std::span<const char* const> opencl_libraries() {
    static constexpr const char* kNames[] = {"libOpenCL.so.1", "libOpenCL.so"};
    return kNames;
}

}  // namespace gpuminer
