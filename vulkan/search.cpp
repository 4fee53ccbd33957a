#include "vulkan/search.hpp"

#include "host/gpu/cache.hpp"
#include "vulkan/shaders.hpp"

namespace gpuminer::vulkan {
namespace {

constexpr const char* kCacheKind = "vulkan-pipelines";

}  // namespace

Pipelines::Pipelines(const vk::raii::Device& device, const vk::raii::PipelineLayout& layout, std::string key)
    : device_(device),
      layout_(layout),
      key_(std::move(key)),
      stored_(gpu::read_cache(kCacheKind, key_).value_or("")),
      cache_(device, vk::PipelineCacheCreateInfo({}, stored_.size(), stored_.data())) {}

void Pipelines::prepare(const gpu::KernelVariant& variant, bool rolled) {
    if (get(variant, rolled)) return;
    const auto code = shader(variant, rolled);
    const vk::raii::ShaderModule module(device_, vk::ShaderModuleCreateInfo({}, code.size_bytes(), code.data()));
    const vk::SpecializationMapEntry entry(0, 0, sizeof variant.group);
    const vk::SpecializationInfo specialization(1, &entry, sizeof variant.group, &variant.group);
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module, "main",
                                                  &specialization);
    entries_.push_back({variant, rolled, {device_, cache_, vk::ComputePipelineCreateInfo({}, stage, *layout_)}});
    store();
}

vk::Pipeline Pipelines::get(const gpu::KernelVariant& variant, bool rolled) const {
    for (const Entry& entry : entries_) {
        if (entry.variant == variant && entry.rolled == rolled) return *entry.pipeline;
    }
    return {};
}

void Pipelines::store() {
    const std::vector<std::uint8_t> data = cache_.getData();
    std::string text(data.begin(), data.end());
    if (text == stored_) return;
    stored_ = std::move(text);
    gpu::write_cache(kCacheKind, key_, stored_);
}

}  // namespace gpuminer::vulkan
