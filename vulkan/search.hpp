// The search shaders as pipelines of one device, compiled by its driver when they are first asked for.
#pragma once

#include <string>
#include <vector>

#include "host/gpu/engine.hpp"
#include "vulkan/loader.hpp"

namespace gpuminer::vulkan {

class Pipelines {
public:
    /// `key` names the device and its driver: what an earlier start compiled for them is taken from the cache.
    Pipelines(const vk::raii::Device& device, const vk::raii::PipelineLayout& layout, std::string key);

    /// Compiles where it has to, which may take seconds, and stores the result. Throws vk::Error.
    void prepare(const gpu::KernelVariant& variant, bool rolled);
    /// Null where it is not prepared.
    [[nodiscard]] vk::Pipeline get(const gpu::KernelVariant& variant, bool rolled) const;

private:
    struct Entry {
        gpu::KernelVariant variant;
        bool rolled;
        vk::raii::Pipeline pipeline;
    };
    void store();

    const vk::raii::Device& device_;
    const vk::raii::PipelineLayout& layout_;
    const std::string key_;
    std::string stored_;
    vk::raii::PipelineCache cache_;
    std::vector<Entry> entries_;
};

}  // namespace gpuminer::vulkan
