#include "vulkan/backend.hpp"

#include "vulkan/drivers.hpp"
#include "vulkan/engine.hpp"
#include "vulkan/probe.hpp"

namespace gpuminer {

namespace {

std::vector<Probe> probe(const DeviceOptions& options) {
    // Mesa's drivers, once loaded, keep 50 MB of memory (LLVM), 10 of them their own.
    if (!options.software && vulkan::only_software_drivers(vulkan::manifest_folders()))
        return {vulkan::no_device("the Vulkan drivers find no GPU but the CPU; --backend vulkan uses it")};
    return vulkan::probe_devices();
}

}  // namespace

const Backend kVulkanBackend{
    .name = "vulkan",
    .probe = probe,
    .open = [](const Probe& probe,
               const DeviceOptions& options) { return gpu::make_gpu_device(vulkan::make_engine(probe), options); },
};

}  // namespace gpuminer
