// A deliberate mistake that Vulkan's validation layer has to report, which shows that the layer is active; no test by
// itself.
#include "tests/catch.hpp"
#include "vulkan/loader.hpp"

TEST_CASE("a mistake in the use of Vulkan", "[.misuse]") {
    const gpuminer::vulkan::Vulkan vulkan;
    const vk::raii::PhysicalDevices physical(vulkan.instance());
    const float priority = 1;
    const vk::DeviceQueueCreateInfo queue({}, 0, 1, &priority);
    const vk::raii::Device device(physical.front(), vk::DeviceCreateInfo({}, queue));
    const vk::raii::Buffer nothing(device, vk::BufferCreateInfo({}, 0, vk::BufferUsageFlagBits::eStorageBuffer));
}
