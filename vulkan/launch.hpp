// Launches of the search shaders on one device: what they read and write (as prelude.glsl declares it), memory that
// both sides reach, and everything that Vulkan needs to run them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "host/errors.hpp"
#include "host/gpu/launch_words.hpp"
#include "search_program/sizes.hpp"
#include "vulkan/loader.hpp"
#include "vulkan/search.hpp"

namespace gpuminer::vulkan {

/// Versions of one launch; a job with more takes several. With them the block fits into the 16 KiB that a uniform
/// buffer has at least, and stays small.
inline constexpr std::size_t kVersionsPerLaunch = 64;

/// Nonces per invocation of search_software.comp.
inline constexpr unsigned kSoftwareWidth = 32;

/// Layout std140: arrays are of four-word vectors, so each starts at a multiple of four words.
struct LaunchBlock {
    gpu::LaunchWords words;
    alignas(16) std::uint32_t job_words[28];
    std::uint32_t version_words[kVersionsPerLaunch][20];
};
// The offsets that prelude.glsl states.
static_assert(offsetof(gpu::LaunchWords, powers) == 0 && offsetof(gpu::LaunchWords, first_nonce) == 128 &&
              offsetof(gpu::LaunchWords, count) == 132 && offsetof(gpu::LaunchWords, sieve_mask) == 136 &&
              offsetof(gpu::LaunchWords, target_top) == 140 && offsetof(gpu::LaunchWords, versions) == 144 &&
              offsetof(gpu::LaunchWords, one) == 148 && offsetof(gpu::LaunchWords, other_one) == 152);
static_assert(offsetof(LaunchBlock, job_words) == 160 && offsetof(LaunchBlock, version_words) == 272);
static_assert(sizeof(LaunchBlock::job_words) / 4 >= kFixedJobWords &&
              sizeof(LaunchBlock::job_words) / 4 >= kRolledJobWords &&
              sizeof(LaunchBlock::version_words[0]) / 4 >= kRolledVersionWords);
static_assert(sizeof(LaunchBlock) <= 16384);
static_assert(kRolledSharedWords == 46, "the size of `schedule` in both shaders");

struct Results {
    std::uint32_t found;  ///< counts on beyond the capacity, but not far
    std::uint32_t padding;
    struct {
        std::uint32_t version_index;  ///< within the launch
        std::uint32_t nonce;
    } candidates[Candidates::kCapacity];
};

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

/// A launch did not end in time. What it uses must not be freed: the Gpu has to stay.
struct Stuck : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Gpu {
public:
    /// The device of a usable probe. Throws NoVulkan, DeviceError, vk::Error.
    Gpu(const Probe& probe, const char* loader_library);

    [[nodiscard]] const vk::PhysicalDeviceProperties& properties() const { return properties_; }
    [[nodiscard]] std::optional<vk::DriverId> driver() const { return driver_; }
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
    std::optional<vk::DriverId> driver_;
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
