#include "opencl/engine.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "opencl/launch.hpp"
#include "opencl/search.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer::opencl {
namespace {

using gpu::KernelVariant;
using gpu::Mix;

constexpr cl_uint kVendorNvidia = 0x10de;

/// Drivers whose compilers bench/tools/amd_count.py has counted with that instruction: ROCm 5.2 (clang 14) and 6.4
/// (clang 19). It is inline assembly, which no other is given.
constexpr std::array<std::string_view, 2> kBfiDrivers = {"AMD Accelerated Parallel Processing 3452.",
                                                         "AMD Accelerated Parallel Processing 3649."};

/// Drivers whose compilers bench/tools/intel_count.py has counted with inline assembly of Intel's virtual instruction
/// set.
constexpr std::array<std::string_view, 1> kBfnDrivers = {"Intel(R) OpenCL HD Graphics 22.43.24595"};

class OpenclEngine final : public gpu::Engine {
public:
    OpenclEngine(const Api& api, ListedDevice device)
        : api_(api), device_(std::move(device)), launcher_(api, device_.id) {}

    ~OpenclEngine() override { launcher_.finish(); }

    [[nodiscard]] const DeviceInfo& info() const override { return device_.probe.info; }

    [[nodiscard]] std::vector<KernelVariant> variants(bool rolled) const override {
        const auto largest_group = value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
        const unsigned width = vector_width();
        const std::size_t local_memory = width == 1 && rolled ? value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 0) : SIZE_MAX;
        std::vector<KernelVariant> variants = gpu::variants_of(mixes(), groups(), width);
        std::erase_if(variants, [&](const KernelVariant& variant) {
            const bool in_registers =
                variant.mix == Mix::kBfi || variant.mix == Mix::kBfn;  // the schedule (prelude.cl)
            return variant.group > largest_group ||
                   (!in_registers && kRolledSharedWords * sizeof(cl_uint) * variant.group > local_memory);
        });
        if (variants.empty()) variants.push_back({Mix::kPlain, width, 1});
        return variants;
    }

    void prepare(const KernelVariant& variant, bool rolled) override {
        if (find(variant, rolled) != nullptr) return;
        Program program = make_program(api_, launcher_.context(), device_, variant, rolled);
        // Some drivers compile at the first launch.
        const std::array<std::uint32_t, 2> versions = {0, 1};
        const std::array<std::uint8_t, 80> header{};
        const Sha256dJob job(header, std::span(versions).first(rolled ? 2 : 1), 0);
        launcher_.launch(program.kernel.get(), variant, job, {0, 1}, 0, job.versions().size());
        save_program(api_, program);
        programs_.push_back({variant, rolled, std::move(program)});
    }

    void scan(const KernelVariant& variant, const Sha256dJob& job, NonceRange range, Candidates& found) override {
        const Program* const program = find(variant, job.rolled());
        if (program == nullptr) throw DeviceError("the kernel of " + to_string(variant) + " is not prepared");
        const std::size_t versions = job.versions().size();
        for (std::size_t first = 0; first < versions && !found.overflow(); first += kVersionsPerLaunch) {
            launcher_.launch(program->kernel.get(), variant, job, range, first,
                             std::min(kVersionsPerLaunch, versions - first));
            launcher_.take_result(static_cast<std::uint32_t>(first), found);
        }
    }

private:
    struct Prepared {
        KernelVariant variant;
        bool rolled;
        Program program;
    };

    template <class T>
    [[nodiscard]] T value(cl_device_info property, T fallback) const {
        return device_value<T>(api_, device_.id, property, fallback);
    }

    /// CPUs have vectors, and say how many lanes they like; on GPUs each work item is a lane.
    [[nodiscard]] unsigned vector_width() const {
        if (!info().software) return 1;
        const auto preferred = value<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1);
        for (const unsigned width : {16u, 8u, 4u}) {
            if (preferred >= width) return width;
        }
        return 1;
    }

    [[nodiscard]] std::vector<unsigned> groups() const {
        if (info().software) return {64};
        return {256, 128, 64};
    }

    [[nodiscard]] gpu::MixLists mixes() const {
        if (info().software) return {{Mix::kPlain}};
        if (value<cl_uint>(CL_DEVICE_VENDOR_ID, 0) == kVendorNvidia) return gpu::nvidia_mixes();
        const auto is_its = [this](std::string_view driver) { return info().driver.starts_with(driver); };
        if (std::ranges::any_of(kBfiDrivers, is_its)) return {{Mix::kBfi}, {Mix::kPlain}};
        if (std::ranges::any_of(kBfnDrivers, is_its) && has_bfn()) return {{Mix::kBfn}, {Mix::kPlain}};
        return {{Mix::kPlain}};
    }

    /// Whether it is an Intel GPU that has that instruction, and runs 8 lanes at a time, for which search.cl has it.
    /// Where the instruction is missing the compiler would make something else of it, without an error; GPUs with
    /// instructions for matrices have it.
    [[nodiscard]] bool has_bfn() const {
        const auto features = value<cl_device_feature_capabilities_intel>(CL_DEVICE_FEATURE_CAPABILITIES_INTEL, 0);
        const auto widths = value<std::array<std::size_t, 8>>(CL_DEVICE_SUB_GROUP_SIZES_INTEL, {});
        return (features & CL_DEVICE_FEATURE_FLAG_DPAS_INTEL) != 0 && std::ranges::find(widths, 8) != widths.end();
    }

    [[nodiscard]] const Program* find(const KernelVariant& variant, bool rolled) const {
        const auto place = std::find_if(programs_.begin(), programs_.end(), [&](const Prepared& prepared) {
            return prepared.variant == variant && prepared.rolled == rolled;
        });
        return place == programs_.end() ? nullptr : &place->program;
    }

    const Api& api_;
    const ListedDevice device_;
    Launcher launcher_;
    std::vector<Prepared> programs_;
};

}  // namespace

std::unique_ptr<gpu::Engine> make_engine(const Api& api, ListedDevice device) {
    return std::make_unique<OpenclEngine>(api, std::move(device));
}

}  // namespace gpuminer::opencl
