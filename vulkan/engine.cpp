#include "vulkan/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "vulkan/launch.hpp"

namespace gpuminer::vulkan {
namespace {

using gpu::KernelVariant;
using gpu::Mix;

/// Runs `action`, and says in a DeviceError what goes wrong in it.
template <class Action>
auto in_plain_words(Action action) {
    try {
        return action();
    } catch (const vk::DeviceLostError&) {
        throw DeviceError("the GPU was lost: its driver has reset it, or it was removed");
    } catch (const vk::Error& error) {
        throw DeviceError(fmt::format("Vulkan failed ({})", error.what()));
    } catch (const NoVulkan& error) {
        throw DeviceError(error.what());
    }
}

void fill(LaunchBlock& block, const Sha256dJob& job, NonceRange range, std::size_t first_version,
          std::size_t versions) {
    block.words = gpu::launch_words(job, range);
    block.words.versions = static_cast<std::uint32_t>(versions);
    std::ranges::copy(job.job_words(), block.job_words);
    for (std::size_t v = 0; job.rolled() && v < versions; ++v)
        std::ranges::copy(job.version_words(first_version + v), block.version_words[v]);
}

class VulkanEngine final : public gpu::Engine {
public:
    VulkanEngine(const Probe& probe, const char* loader_library)
        : info_(probe.info),
          gpu_(in_plain_words([&] { return std::make_unique<Gpu>(probe, loader_library); })),
          properties_(gpu_->properties()),
          driver_(gpu_->driver()) {}

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<KernelVariant> variants(bool rolled) const override {
        if (info_.software) return {{Mix::kPlain, kSoftwareWidth, 64}};
        constexpr std::array kGroups = {256U, 128U, 64U};
        std::vector<KernelVariant> variants = gpu::variants_of(mixes(), kGroups);
        std::erase_if(variants, [&](const KernelVariant& variant) { return !fits(variant, rolled); });
        return variants;
    }

    void prepare(const KernelVariant& variant, bool rolled) override {
        in_plain_words([&] { working_gpu().pipelines().prepare(variant, rolled); });
    }

    void scan(const KernelVariant& variant, const Sha256dJob& job, NonceRange range, Candidates& found) override {
        if (range.count == 0) return;
        const vk::Pipeline pipeline = working_gpu().pipelines().get(variant, job.rolled());
        const std::uint64_t items = (range.count + variant.width - 1) / variant.width;
        const std::size_t versions = job.versions().size();
        for (std::size_t first = 0; first < versions && !found.overflow(); first += kVersionsPerLaunch) {
            fill(working_gpu().launch_block(), job, range, first, std::min(versions - first, kVersionsPerLaunch));
            run(pipeline, variant.group, static_cast<std::uint32_t>(items));
            collect(static_cast<std::uint32_t>(first), found);
        }
    }

private:
    /// Throws DeviceError where it got stuck earlier.
    [[nodiscard]] Gpu& working_gpu() const {
        if (!gpu_) throw DeviceError("it no longer responds");
        return *gpu_;
    }

    [[nodiscard]] gpu::MixLists mixes() const {
        constexpr std::uint32_t kNvidia = 0x10de;  // PCI's number of the vendor
        // An old RADV may be faster with the plain forms (Mesa 22 on Polaris: 2 % fewer instructions).
        if (driver_ == vk::DriverId::eMesaRadv) return {{Mix::kRadv, Mix::kPlain}};
        return properties_.vendorID == kNvidia ? gpu::nvidia_mixes() : gpu::MixLists{{Mix::kPlain}};
    }

    /// Work groups of this variant keep to the device's limits. The rolled form keeps its schedule in shared memory.
    [[nodiscard]] bool fits(const KernelVariant& variant, bool rolled) const {
        const vk::PhysicalDeviceLimits& limits = properties_.limits;
        const bool shares = rolled && variant.mix != Mix::kRadv;
        const std::size_t shared_bytes = shares ? variant.group * kRolledSharedWords * sizeof(std::uint32_t) : 0;
        return variant.group <= limits.maxComputeWorkGroupSize[0] &&
               variant.group <= limits.maxComputeWorkGroupInvocations &&
               shared_bytes <= limits.maxComputeSharedMemorySize;
    }

    void run(vk::Pipeline pipeline, std::uint32_t group, std::uint32_t items) {
        try {
            in_plain_words([&] { working_gpu().run(pipeline, group, items); });
        } catch (const Stuck& error) {
            (void)gpu_.release();  // see Stuck
            throw DeviceError(error.what());
        }
    }

    void collect(std::uint32_t first_version, Candidates& found) const {
        const Results& results = working_gpu().results();
        for (std::size_t i = 0; i < std::min<std::size_t>(results.found, Candidates::kCapacity); ++i) {
            const auto& candidate = results.candidates[i];
            found.push({first_version + candidate.version_index, candidate.nonce});
        }
        if (results.found > Candidates::kCapacity) found.push({});  // one more than fits: it overflows
    }

    const DeviceInfo info_;
    std::unique_ptr<Gpu> gpu_;
    const vk::PhysicalDeviceProperties properties_;
    const std::optional<vk::DriverId> driver_;
};

}  // namespace

std::unique_ptr<gpu::Engine> make_engine(const Probe& probe, const char* loader_library) {
    return std::make_unique<VulkanEngine>(probe, loader_library);
}

}  // namespace gpuminer::vulkan
