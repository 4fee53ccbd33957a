// The Vulkan engine: one physical device.
#pragma once

#include <memory>

#include "host/gpu/engine.hpp"
#include "vulkan/loader.hpp"

namespace gpuminer::vulkan {

/// The device of a usable probe. Beside what variants() offers it runs any mix with width 1 and a group of up to 128
/// work items. Throws DeviceError.
[[nodiscard]] std::unique_ptr<gpu::Engine> make_engine(const Probe& probe, const char* loader_library = kVulkanLibrary);

}  // namespace gpuminer::vulkan
