#include "vulkan/backend.hpp"

#include "vulkan/engine.hpp"
#include "vulkan/probe.hpp"

namespace gpuminer {

const Backend kVulkanBackend{
    .name = "vulkan",
    .probe = [](const DeviceOptions&) { return vulkan::probe_devices(); },
    .open = [](const Probe& probe,
               const DeviceOptions& options) { return gpu::make_gpu_device(vulkan::make_engine(probe), options); },
};

}  // namespace gpuminer
