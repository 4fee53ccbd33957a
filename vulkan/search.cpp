#include "vulkan/search.hpp"

#include <cstddef>

#include "host/files/cache.hpp"

namespace gpuminer::vulkan {
namespace {

constexpr const char* kCacheKind = "vulkan-pipelines";

constexpr std::uint32_t kFixedPlain[] = {
#include "shaders/search_0_0.inc"
};
constexpr std::uint32_t kFixedAdds[] = {
#include "shaders/search_0_1.inc"
};
constexpr std::uint32_t kFixedAddsShifts[] = {
#include "shaders/search_0_2.inc"
};
constexpr std::uint32_t kFixedAddsShiftsRotations[] = {
#include "shaders/search_0_3.inc"
};
constexpr std::uint32_t kFixedRadv[] = {
#include "shaders/search_0_4.inc"
};
constexpr std::uint32_t kRolledPlain[] = {
#include "shaders/search_1_0.inc"
};
constexpr std::uint32_t kRolledAdds[] = {
#include "shaders/search_1_1.inc"
};
constexpr std::uint32_t kRolledAddsShifts[] = {
#include "shaders/search_1_2.inc"
};
constexpr std::uint32_t kRolledAddsShiftsRotations[] = {
#include "shaders/search_1_3.inc"
};
constexpr std::uint32_t kRolledRadv[] = {
#include "shaders/search_1_4.inc"
};
constexpr std::uint32_t kFixedSoftware[] = {
#include "shaders/search_software_0_0.inc"
};
constexpr std::uint32_t kRolledSoftware[] = {
#include "shaders/search_software_1_0.inc"
};

using Shader = std::span<const std::uint32_t>;
constexpr Shader kShaders[2][5] = {
    {kFixedPlain, kFixedAdds, kFixedAddsShifts, kFixedAddsShiftsRotations, kFixedRadv},
    {kRolledPlain, kRolledAdds, kRolledAddsShifts, kRolledAddsShiftsRotations, kRolledRadv}};
constexpr Shader kSoftwareShaders[2] = {kFixedSoftware, kRolledSoftware};

}  // namespace

std::span<const std::uint32_t> shader(const gpu::KernelVariant& variant, bool rolled) {
    if (variant.width > 1) return kSoftwareShaders[rolled];
    return kShaders[rolled][static_cast<std::size_t>(variant.mix)];
}

Pipelines::Pipelines(const vk::raii::Device& device, const vk::raii::PipelineLayout& layout, std::string key)
    : device_(device),
      layout_(layout),
      key_(std::move(key)),
      stored_(read_cache(kCacheKind, key_).value_or("")),
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
    write_cache(kCacheKind, key_, stored_);
}

}  // namespace gpuminer::vulkan
