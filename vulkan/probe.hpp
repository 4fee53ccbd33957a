// Vulkan devices and their properties.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/backend.h"
#include "host/system/driver_libraries.hpp"
#include "vulkan/loader.hpp"

namespace gpuminer::vulkan {

/// Every physical device; or one unusable probe that says why there is none.
[[nodiscard]] std::vector<Probe> probe_devices(const char* loader_library = kVulkanLibrary);
/// A probe that stands for none of the backend's devices, and why.
[[nodiscard]] Probe no_device(std::string reason);

/// Whose driver it is. Nothing: the driver does not say.
[[nodiscard]] std::optional<vk::DriverId> driver_of(const vk::raii::PhysicalDevice& device);

/// The number of the queue family to compute with: one that does nothing else if there is one, so that a desktop is
/// not kept waiting. Nothing: the device cannot compute.
[[nodiscard]] std::optional<std::uint32_t> compute_family(const vk::raii::PhysicalDevice& device);

}  // namespace gpuminer::vulkan
