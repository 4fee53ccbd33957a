#include "cuda/engine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "cuda/code.hpp"
#include "cuda/driver.hpp"
#include "cuda/handles.hpp"
#include "cuda/launch.hpp"
#include "cuda/loader.hpp"

namespace gpuminer::cuda {
namespace {

using gpu::KernelVariant;
using gpu::Mix;

using Found = FoundItems<Candidates::kCapacity>;

/// From Volta on the multiply-add pipe has room for some of the program's verbs; before, a multiplication took several
/// instructions.
constexpr unsigned kFirstWithMultiplyAdd = 70;

/// One form and mix, loaded when it is first wanted.
struct Kernel {
    explicit Kernel(const Api& api) : module(api.ModuleUnload) {}

    Owned<Module> module;
    Function function = nullptr;
};

class CudaEngine final : public gpu::Engine {
public:
    CudaEngine(const Api& api, DeviceInfo info, DeviceNumber device, CodeKind code, unsigned capability)
        : api_(api),
          info_(std::move(info)),
          code_(code),
          capability_(capability),
          context_(api, device),
          stream_(api.StreamDestroy),
          done_(api.EventDestroy),
          found_(api.MemFree),
          found_here_(api.MemFreeHost) {
        use_device();
        check(api_, api_.StreamCreate(stream_.out(), kStreamNonBlocking), "making a stream");
        // With kEventBlockingSync the waiting thread sleeps instead of keeping a processor core busy.
        check(api_, api_.EventCreate(done_.out(), kEventBlockingSync | kEventDisableTiming), "making an event");
        check(api_, api_.MemAlloc(found_.out(), sizeof(Found)), "allocating memory on the device");
        check(api_, api_.MemAllocHost(found_here_.out(), sizeof(Found)), "allocating memory for results");
    }

    ~CudaEngine() override { (void)context_.use(); }

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<KernelVariant> variants(bool) const override {
        constexpr std::array kGroups = {kThreadsPerBlock, kThreadsPerBlock / 2};
        gpu::MixLists mixes = {{Mix::kAdds}, {Mix::kAllAdds}, {Mix::kPlain}, {Mix::kAddsShiftsRotations}};
        if (capability_ < kFirstWithMultiplyAdd) mixes = {{Mix::kPlain}};
        return gpu::variants_of(mixes, kGroups);
    }

    void attach_thread() override { use_device(); }

    void prepare(const KernelVariant& variant, bool rolled) override {
        use_device();
        (void)kernel(variant.mix, rolled);
    }

    void scan(const KernelVariant& variant, const Sha256dJob& job, NonceRange range, Candidates& found) override {
        use_device();
        if (!job.rolled()) return scan_fixed(variant, job, range, found);
        const auto versions = static_cast<word>(job.versions().size());
        for (word first = 0; first < versions && !found.overflow(); first += kVersionsPerLaunch)
            scan_versions(variant, job, range, first, std::min(versions - first, kVersionsPerLaunch), found);
    }

private:
    void use_device() { check(api_, context_.use(), "using the device"); }

    [[nodiscard]] Function kernel(Mix mix, bool rolled) {
        const std::string name = kernel_name(mix, rolled);
        Kernel& kernel = kernels_.try_emplace(name, api_).first->second;
        if (kernel.function != nullptr) return kernel.function;
        if (kernel.module.get() == nullptr) load_module(api_, module_image(code_, mix, rolled), kernel.module.out());
        Function function = nullptr;
        check(api_, api_.ModuleGetFunction(&function, kernel.module.get(), name.c_str()), "finding the kernel");
        // A wish, which older GPUs need not grant.
        if (rolled) (void)api_.FuncSetAttribute(function, kSharedMemoryCarveout, 100);
        return kernel.function = function;
    }

    void scan_fixed(const KernelVariant& variant, const Sha256dJob& job, NonceRange range, Candidates& found) {
        FixedLaunch launch{gpu::launch_words(job, range), {}};
        std::ranges::copy(job.job_words(), launch.job);
        run(kernel(variant.mix, false), variant.group, 0, launch, found);
    }

    void scan_versions(const KernelVariant& variant, const Sha256dJob& job, NonceRange range, word first, word versions,
                       Candidates& found) {
        RolledLaunch launch{gpu::launch_words(job, range), first, {}, {}};
        launch.words.versions = versions;
        std::ranges::copy(job.job_words(), launch.job);
        for (word v = 0; v < versions; ++v) std::ranges::copy(job.version_words(first + v), launch.version[v]);
        run(kernel(variant.mix, true), variant.group, kSharedBytesPerThread * variant.group, launch, found);
    }

    template <class Launch>
    void run(Function kernel, unsigned group, unsigned shared_bytes, Launch& launch, Candidates& found) {
        if (launch.words.count == 0) return;
        const unsigned blocks = (launch.words.count + group - 1) / group;
        DeviceMemory count = found_.get() + offsetof(Found, count);
        DeviceMemory items = found_.get() + offsetof(Found, items);
        word capacity = Candidates::kCapacity;
        void* parameters[] = {&launch, &items, &count, &capacity};
        check(api_, api_.MemsetD32Async(count, 0, 1, stream_.get()), "clearing the results");
        check(api_,
              api_.LaunchKernel(kernel, blocks, 1, 1, group, 1, 1, shared_bytes, stream_.get(), parameters, nullptr),
              "starting the kernel");
        auto& here = *static_cast<Found*>(found_here_.get());
        fetch(&here.count, count, sizeof here.count);
        const word stored = std::min(here.count, capacity);
        if (stored != 0) fetch(here.items, items, stored * sizeof(FoundItem));
        for (const FoundItem& item : std::span(here.items, stored)) found.push({item.version_index, item.nonce});
        if (here.count > capacity) found.push({});  // one more than fits: an overflow
    }

    /// Waits for all that has been started, and for the copy.
    void fetch(void* here, DeviceMemory there, std::size_t bytes) {
        check(api_, api_.MemcpyDtoHAsync(here, there, bytes, stream_.get()), "fetching results");
        check(api_, api_.EventRecord(done_.get(), stream_.get()), "recording an event");
        check(api_, api_.EventSynchronize(done_.get()), "the search");
    }

    const Api& api_;
    const DeviceInfo info_;
    const CodeKind code_;
    const unsigned capability_;
    const PrimaryContext context_;
    std::map<std::string, Kernel> kernels_;  ///< by name
    Owned<Stream> stream_;
    Owned<Event> done_;
    Owned<DeviceMemory> found_;
    Owned<void*> found_here_;
};

}  // namespace

std::unique_ptr<gpu::Engine> make_engine(const Probe& probe, const DeviceOptions& options) {
    if (system_api() == nullptr) throw DeviceError(why_no_device(driver_facts()));
    const Api& api = *system_api();
    const DeviceNumber device = device_at(api, probe.index);
    const unsigned capability = capability_of(api, device);
    const CodeChoice code = choose_code(built_code(), capability, driver_version(api), wanted_code(options));
    if (!code.kind) throw DeviceError(code.text);
    return std::make_unique<CudaEngine>(api, probe.info, device, *code.kind, capability);
}

}  // namespace gpuminer::cuda
