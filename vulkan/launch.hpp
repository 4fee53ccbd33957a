// Everything that Vulkan needs to run the search on one device.
#pragma once

#include <chrono>
#include <stdexcept>

#include "vulkan/launch_block.hpp"
#include "vulkan/search.hpp"
#include "vulkan/shared_memory.hpp"

namespace gpuminer::vulkan {

/// A launch did not end in time. What it uses must not be freed: the Gpu has to stay.
struct Stuck : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Gpu {
public:
    /// The device of a usable probe. Throws NoVulkan, DeviceError, vk::Error.
    Gpu(const Probe& probe, const char* loader_library);

    [[nodiscard]] const vk::PhysicalDeviceProperties& properties() const { return properties_; }
    [[nodiscard]] Pipelines& pipelines() { return pipelines_; }

    /// What the next launch reads; `results().found` starts at zero.
    [[nodiscard]] LaunchBlock& launch_block() const { return block_.content(); }
    [[nodiscard]] Results& results() const { return results_.content(); }
    /// Runs so many work items at least, and waits for the end. Throws Stuck, vk::Error.
    void run(vk::Pipeline pipeline, std::uint32_t group, std::uint32_t items);

private:
    void record(vk::Pipeline pipeline, std::uint32_t groups) const;

    Vulkan vulkan_;
    vk::raii::PhysicalDevice physical_;
    vk::PhysicalDeviceProperties properties_;
    std::chrono::nanoseconds patience_;  ///< software cannot hang, only be starved
    std::uint32_t family_;
    vk::raii::Device device_;
    vk::raii::Queue queue_;
    vk::raii::DescriptorSetLayout set_layout_;
    vk::raii::PipelineLayout layout_;
    Pipelines pipelines_;
    SharedMemory<LaunchBlock> block_;
    SharedMemory<Results> results_;
    vk::raii::DescriptorPool set_pool_;
    vk::raii::DescriptorSet set_;
    vk::raii::CommandPool command_pool_;
    vk::raii::CommandBuffer commands_;
    vk::raii::Fence done_;
};

}  // namespace gpuminer::vulkan
