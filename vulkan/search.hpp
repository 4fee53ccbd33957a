// The search shaders: embedded in the program, and as pipelines of one device, compiled by its driver when they are
// first asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/gpu/engine.hpp"
#include "vulkan/loader.hpp"

namespace gpuminer::vulkan {

/// SPIR-V 1.3 (Vulkan 1.1) of search_software.comp for a width above 1 (its mix is plain), else of search.comp.
/// Its entry point is "main", specialization constant 0 the work group's size.
[[nodiscard]] std::span<const std::uint32_t> shader(const gpu::KernelVariant& variant, bool rolled);

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
