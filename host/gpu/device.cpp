// GpuDevice: a Device made of an Engine, with tuning, batches and a self-test.
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "host/gpu/tuning.hpp"
#include "host/search/self_test.hpp"
#include "host/thread_priority.hpp"

namespace gpuminer::gpu {
namespace {

/// Long enough that starting it (some 20 µs) does not count, short enough that a new job is not kept waiting.
constexpr double kBatchSeconds = 0.05;
constexpr std::uint64_t kSmallestBatch = 1 << 12;

class GpuDevice final : public Device {
public:
    GpuDevice(std::unique_ptr<Engine> engine, const DeviceOptions& options)
        : engine_(std::move(engine)), cpu_priority_(options.cpu_priority), fixed_batch_(options.intensity.has_value()) {
        engine_->attach_thread();
        choose_variants(options);
        const double wanted = variants_[false].rate * kBatchSeconds;
        batch_ = fixed_batch_ ? std::uint64_t{1} << *options.intensity
                              : std::max(kSmallestBatch, static_cast<std::uint64_t>(wanted));
    }

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint64_t batch() const override { return batch_; }
    void attach_thread() override {
        engine_->attach_thread();
        if (!info_.software) set_gpu_thread_priority(cpu_priority_);  // that of a CPU may itself compute
    }
    [[nodiscard]] Engine& engine() { return *engine_; }
    [[nodiscard]] const KernelVariant& variant(bool rolled) const { return variants_[rolled].variant; }

    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        const auto start = std::chrono::steady_clock::now();
        std::uint64_t done = 0;
        while (done < range.count && !result.candidates.overflow()) {
            const std::uint64_t count = std::min(range.count - done, kLargestLaunch);
            const NonceRange launch{static_cast<std::uint32_t>(range.first + done), count};
            engine_->scan(variants_[job.rolled()].variant, job, launch, result.candidates);
            done += count;
        }
        adapt(done * job.versions().size(), std::chrono::steady_clock::now() - start);
    }

private:
    void choose_variants(const DeviceOptions& options) {
        info_ = engine_->info();
        auto remembered = options.retune ? std::nullopt : remembered_tuning(info_);
        if (remembered && !still_offered(remembered->best)) remembered.reset();
        if (remembered && remembered->complete && works(remembered->best)) {
            variants_ = remembered->best;
        } else {
            const bool go_on = remembered && !remembered->complete;
            const bool timed = options.tuning_seconds > 0;  // a first best choice is not worth remembering
            const TuningHelp help{
                .self_test =
                    [this](const KernelVariant& fixed, const KernelVariant& rolled) {
                        variants_ = {TunedVariant{fixed}, TunedVariant{rolled}};
                        return self_test(*this);
                    },
                .keep =
                    [this, timed](const Tuning& tuning) {
                        if (timed) remember(info_, tuning);
                    },
            };
            variants_ = tune(*engine_, go_on ? *remembered : Tuning{}, options.tuning_seconds, help).best;
            for (const bool rolled : kFixedAndRolled) engine_->prepare(variants_[rolled].variant, rolled);
        }
        if (!info_.description.empty()) info_.description += ", ";
        info_.description += to_string(variants_[false].variant);
    }

    /// Whether variants that worked once still do.
    [[nodiscard]] bool works(const TunedVariants& choices) {
        try {
            for (const bool rolled : kFixedAndRolled) engine_->prepare(choices[rolled].variant, rolled);
            variants_ = choices;
            return !self_test(*this);
        } catch (const DeviceError&) {
            return false;
        }
    }

    [[nodiscard]] bool still_offered(const TunedVariants& choices) const {
        return std::all_of(kFixedAndRolled.begin(), kFixedAndRolled.end(), [&](bool rolled) {
            const std::vector<KernelVariant> variants = engine_->variants(rolled);
            return std::find(variants.begin(), variants.end(), choices[rolled].variant) != variants.end();
        });
    }

    // Follows the measured rate in steps of at most two. Small scans say little: starting them is what takes long.
    void adapt(std::uint64_t hashes, std::chrono::duration<double> seconds) {
        if (fixed_batch_ || seconds.count() <= 0) return;
        if (hashes < batch_ / 2 && seconds.count() < kBatchSeconds) return;
        const double wanted = static_cast<double>(hashes) / seconds.count() * kBatchSeconds;
        const auto current = static_cast<double>(batch_);
        batch_ = std::max(kSmallestBatch, static_cast<std::uint64_t>(std::clamp(wanted, current / 2, current * 2)));
    }

    const std::unique_ptr<Engine> engine_;
    const unsigned cpu_priority_;  ///< of the CPU threads beside it
    const bool fixed_batch_;
    DeviceInfo info_;
    TunedVariants variants_;
    std::uint64_t batch_ = kSmallestBatch;
};

}  // namespace

std::unique_ptr<Device> make_gpu_device(std::unique_ptr<Engine> engine, const DeviceOptions& options) {
    return std::make_unique<GpuDevice>(std::move(engine), options);
}

Engine* engine_of(Device& device) {
    auto* const gpu_device = dynamic_cast<GpuDevice*>(&device);
    return gpu_device == nullptr ? nullptr : &gpu_device->engine();
}

std::optional<KernelVariant> variant_of(Device& device, bool rolled) {
    const auto* const gpu_device = dynamic_cast<GpuDevice*>(&device);
    return gpu_device == nullptr ? std::nullopt : std::optional(gpu_device->variant(rolled));
}

}  // namespace gpuminer::gpu
