// The Vulkan loader, opened at run time, and an instance made with it.
#pragma once

#include <stdexcept>
#include <vulkan/vulkan_raii.hpp>

#include "host/system/driver_libraries.hpp"

namespace gpuminer::vulkan {

/// What the shaders are compiled for.
inline constexpr std::uint32_t kApiVersion = VK_API_VERSION_1_1;

/// There is no Vulkan on this machine. The message says what is missing, and the remedy.
struct NoVulkan : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Vulkan {
public:
    /// Throws NoVulkan.
    explicit Vulkan(const char* library = kVulkanLibrary);

    [[nodiscard]] const vk::raii::Instance& instance() const { return instance_; }

private:
    vk::raii::Context context_;
    vk::raii::Instance instance_;
};

}  // namespace gpuminer::vulkan
