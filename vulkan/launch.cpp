#include "vulkan/launch.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "vulkan/probe.hpp"

namespace gpuminer::vulkan {
namespace {

/// A launch of a GPU that takes longer will never end: they take about 0.05 s, and drivers give up earlier.
constexpr std::chrono::nanoseconds kPatience = std::chrono::seconds(60);

constexpr auto kCompute = vk::ShaderStageFlagBits::eCompute;
constexpr std::array kBindings = {
    vk::DescriptorSetLayoutBinding(0, vk::DescriptorType::eUniformBuffer, 1, kCompute),
    vk::DescriptorSetLayoutBinding(1, vk::DescriptorType::eStorageBuffer, 1, kCompute),
};
constexpr std::array kPoolSizes = {
    vk::DescriptorPoolSize(vk::DescriptorType::eUniformBuffer, 1),
    vk::DescriptorPoolSize(vk::DescriptorType::eStorageBuffer, 1),
};

vk::raii::PhysicalDevice find_device(const vk::raii::Instance& instance, const Probe& probe) {
    vk::raii::PhysicalDevices devices(instance);
    if (probe.index >= devices.size() || probe.info.model != devices[probe.index].getProperties().deviceName.data()) {
        throw DeviceError("Vulkan lists other devices than before; restart gpuminer");
    }
    return std::move(devices[probe.index]);
}

std::uint32_t find_family(const vk::raii::PhysicalDevice& physical) {
    const auto family = compute_family(physical);
    if (!family) throw DeviceError("it cannot compute, only draw");
    return *family;
}

vk::raii::Device make_device(const vk::raii::PhysicalDevice& physical, std::uint32_t family) {
    const float priority = 1;
    const vk::DeviceQueueCreateInfo queue({}, family, 1, &priority);
    return {physical, vk::DeviceCreateInfo({}, queue)};
}

/// A driver takes back only what the same driver compiled for the same device.
std::string pipelines_key(const DeviceInfo& info) {
    return fmt::format("{} | {} | {} | {}", info.model, info.driver, info.api_version, info.uuid);
}

vk::raii::DescriptorSet make_set(const vk::raii::Device& device, const vk::raii::DescriptorPool& pool,
                                 const vk::raii::DescriptorSetLayout& layout, const vk::DescriptorBufferInfo& block,
                                 const vk::DescriptorBufferInfo& results) {
    vk::raii::DescriptorSet set =
        std::move(vk::raii::DescriptorSets(device, vk::DescriptorSetAllocateInfo(*pool, *layout)).front());
    device.updateDescriptorSets(
        {
            vk::WriteDescriptorSet(*set, 0, 0, 1, vk::DescriptorType::eUniformBuffer, nullptr, &block),
            vk::WriteDescriptorSet(*set, 1, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &results),
        },
        {});
    return set;
}

vk::raii::CommandBuffer make_commands(const vk::raii::Device& device, const vk::raii::CommandPool& pool) {
    const vk::CommandBufferAllocateInfo one(*pool, vk::CommandBufferLevel::ePrimary, 1);
    return std::move(vk::raii::CommandBuffers(device, one).front());
}

}  // namespace

Gpu::Gpu(const Probe& probe, const char* loader_library)
    : vulkan_(loader_library),
      physical_(find_device(vulkan_.instance(), probe)),
      properties_(physical_.getProperties()),
      driver_(driver_of(physical_)),
      patience_(probe.info.software ? std::chrono::nanoseconds::max() : kPatience),
      family_(find_family(physical_)),
      device_(make_device(physical_, family_)),
      queue_(device_, family_, 0),
      set_layout_(device_, vk::DescriptorSetLayoutCreateInfo({}, kBindings)),
      layout_(device_, vk::PipelineLayoutCreateInfo({}, *set_layout_)),
      pipelines_(device_, layout_, pipelines_key(probe.info)),
      block_(physical_, device_, vk::BufferUsageFlagBits::eUniformBuffer, vk::MemoryPropertyFlagBits::eDeviceLocal),
      results_(physical_, device_, vk::BufferUsageFlagBits::eStorageBuffer, vk::MemoryPropertyFlagBits::eHostCached),
      set_pool_(device_,
                vk::DescriptorPoolCreateInfo(vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet, 1, kPoolSizes)),
      set_(make_set(device_, set_pool_, set_layout_, block_.whole(), results_.whole())),
      command_pool_(device_, vk::CommandPoolCreateInfo(vk::CommandPoolCreateFlagBits::eResetCommandBuffer, family_)),
      commands_(make_commands(device_, command_pool_)),
      done_(device_, vk::FenceCreateInfo()) {}

void Gpu::run(vk::Pipeline pipeline, std::uint32_t group, std::uint32_t items) {
    record(pipeline, (items + group - 1) / group);
    results_.content().found = 0;
    queue_.submit(vk::SubmitInfo({}, {}, *commands_), *done_);
    const auto nanoseconds = static_cast<std::uint64_t>(patience_.count());
    if (device_.waitForFences(*done_, true, nanoseconds) == vk::Result::eTimeout) {
        throw Stuck(fmt::format("it has not responded for {} seconds",
                                std::chrono::duration_cast<std::chrono::seconds>(patience_).count()));
    }
    device_.resetFences(*done_);
}

void Gpu::record(vk::Pipeline pipeline, std::uint32_t groups) const {
    // One row of groups may be too short for a large launch (65,535 is what every device can do).
    const std::uint32_t longest = properties_.limits.maxComputeWorkGroupCount[0];
    const std::uint32_t rows = (groups - 1) / longest + 1;
    const std::uint32_t columns = (groups - 1) / rows + 1;
    commands_.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    commands_.bindPipeline(vk::PipelineBindPoint::eCompute, pipeline);
    commands_.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *layout_, 0, *set_, {});
    commands_.dispatch(columns, rows, 1);
    const vk::MemoryBarrier results_to_host(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eHostRead);
    commands_.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eHost, {},
                              results_to_host, {}, {});
    commands_.end();
}

}  // namespace gpuminer::vulkan
