// Memory that both the CPU and the GPU reach without further ado.
#pragma once

#include <optional>

#include "host/errors.hpp"
#include "vulkan/loader.hpp"

namespace gpuminer::vulkan {

/// The first type among those of the bit set `allowed` that has all of `flags`.
[[nodiscard]] inline std::optional<std::uint32_t> memory_type(const vk::raii::PhysicalDevice& physical,
                                                              std::uint32_t allowed, vk::MemoryPropertyFlags flags) {
    const vk::PhysicalDeviceMemoryProperties memory = physical.getMemoryProperties();
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
    }
    return std::nullopt;
}

/// A buffer that holds one T.
template <class T>
class SharedMemory {
public:
    /// `preferred`: what the memory has to be beside reachable, if the device has such memory. Throws DeviceError.
    SharedMemory(const vk::raii::PhysicalDevice& physical, const vk::raii::Device& device, vk::BufferUsageFlags usage,
                 vk::MemoryPropertyFlags preferred)
        : memory_(nullptr), buffer_(device, vk::BufferCreateInfo({}, sizeof(T), usage)) {
        const vk::MemoryRequirements needs = buffer_.getMemoryRequirements();
        const auto reachable = vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
        auto type = memory_type(physical, needs.memoryTypeBits, reachable | preferred);
        if (!type) type = memory_type(physical, needs.memoryTypeBits, reachable);
        if (!type) throw DeviceError("it has no memory that the CPU reaches too, which Vulkan promises");
        memory_ = {device, vk::MemoryAllocateInfo(needs.size, *type)};
        buffer_.bindMemory(*memory_, 0);
        content_ = static_cast<T*>(memory_.mapMemory(0, sizeof(T)));
    }

    [[nodiscard]] T& content() const { return *content_; }
    [[nodiscard]] vk::DescriptorBufferInfo whole() const { return {*buffer_, 0, VK_WHOLE_SIZE}; }

private:
    vk::raii::DeviceMemory memory_;  // freed after the buffer
    vk::raii::Buffer buffer_;
    T* content_ = nullptr;
};

}  // namespace gpuminer::vulkan
