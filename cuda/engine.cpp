#include "cuda/engine.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "cuda/launch.hpp"

namespace gpuminer::cuda {
namespace {

using gpu::KernelVariant;
using gpu::Mix;

using Found = FoundItems<Candidates::kCapacity>;

void check(cudaError_t error, const char* attempt) {
    if (error == cudaSuccess) return;
    (void)cudaGetLastError();  // CUDA remembers it, and the next call would report it again
    throw DeviceError(fmt::format("{} failed: {} ({})", attempt, cudaGetErrorString(error), cudaGetErrorName(error)));
}

const Kernels& kernels_for(Mix mix) {
    static const std::array all = {kernels<0>(), kernels<1>(), kernels<2>(), kernels<3>()};
    return all[static_cast<std::size_t>(mix)];
}

struct FreeOnDevice {
    void operator()(void* memory) const { (void)cudaFree(memory); }
};
struct FreeOnHost {
    void operator()(void* memory) const { (void)cudaFreeHost(memory); }
};
struct DestroyEvent {
    void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
struct DestroyStream {
    void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
};

class CudaEngine final : public gpu::Engine {
public:
    CudaEngine(DeviceInfo info, int device) : info_(std::move(info)), device_(device) {
        use_device();
        cudaStream_t stream = nullptr;
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
        stream_.reset(stream);
        cudaEvent_t event = nullptr;
        // With cudaEventBlockingSync the waiting thread sleeps instead of keeping a processor core busy.
        check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming), "making an event");
        done_.reset(event);
        void* memory = nullptr;
        check(cudaMalloc(&memory, sizeof(Found)), "allocating memory on the device");
        found_.reset(static_cast<Found*>(memory));
        check(cudaMallocHost(&memory, sizeof(Found)), "allocating memory for results");
        found_here_.reset(static_cast<Found*>(memory));
    }

    ~CudaEngine() override { (void)cudaSetDevice(device_); }

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<KernelVariant> variants(bool) const override {
        std::vector<KernelVariant> variants;
        for (const Mix mix : {Mix::kAddsShiftsRotations, Mix::kAddsShifts, Mix::kAdds, Mix::kPlain}) {
            for (const unsigned group : {kThreadsPerBlock, kThreadsPerBlock / 2}) variants.push_back({mix, 1, group});
        }
        return variants;
    }

    void attach_thread() override { use_device(); }

    void prepare(const KernelVariant& variant, bool rolled) override {
        use_device();
        const Kernels& kernels = kernels_for(variant.mix);
        const void* const kernel = rolled ? kernels.rolled : kernels.fixed;
        cudaFuncAttributes attributes{};  // asking for them loads the code, and compiles it where it is PTX
        check(cudaFuncGetAttributes(&attributes, kernel), "loading the kernel");
        if (rolled) {
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                       cudaSharedmemCarveoutMaxShared),
                  "asking for shared memory");
        }
    }

    void scan(const KernelVariant& variant, const ScanJob& job, NonceRange range, Candidates& found) override {
        use_device();
        if (!job.rolled()) return scan_fixed(variant, job, range, found);
        const auto versions = static_cast<word>(job.versions().size());
        for (word first = 0; first < versions && !found.overflow(); first += kVersionsPerLaunch)
            scan_versions(variant, job, range, first, std::min(versions - first, kVersionsPerLaunch), found);
    }

private:
    void use_device() { check(cudaSetDevice(device_), "using the device"); }

    void scan_fixed(const KernelVariant& variant, const ScanJob& job, NonceRange range, Candidates& found) {
        FixedLaunch launch{gpu::launch_words(job, range), {}};
        std::ranges::copy(job.job_words(), launch.job);
        run(kernels_for(variant.mix).fixed, variant.group, 0, launch, found);
    }

    void scan_versions(const KernelVariant& variant, const ScanJob& job, NonceRange range, word first, word versions,
                       Candidates& found) {
        RolledLaunch launch{gpu::launch_words(job, range), first, {}, {}};
        launch.words.versions = versions;
        std::ranges::copy(job.job_words(), launch.job);
        for (word v = 0; v < versions; ++v) std::ranges::copy(job.version_words(first + v), launch.version[v]);
        run(kernels_for(variant.mix).rolled, variant.group, std::size_t{kSharedBytesPerThread} * variant.group, launch,
            found);
    }

    template <class Launch>
    void run(const void* kernel, unsigned group, std::size_t shared_bytes, Launch& launch, Candidates& found) {
        if (launch.words.count == 0) return;
        const unsigned blocks = (launch.words.count + group - 1) / group;
        FoundItem* items = found_->items;
        word* count = &found_->count;
        word capacity = Candidates::kCapacity;
        void* parameters[] = {&launch, &items, &count, &capacity};
        check(cudaMemsetAsync(count, 0, sizeof *count, stream_.get()), "clearing the results");
        check(cudaLaunchKernel(kernel, dim3(blocks), dim3(group), parameters, shared_bytes, stream_.get()),
              "starting the kernel");
        fetch(&found_here_->count, count, sizeof *count);
        const word stored = std::min(found_here_->count, capacity);
        if (stored != 0) fetch(found_here_->items, items, stored * sizeof(FoundItem));
        for (const FoundItem& item : std::span(found_here_->items, stored))
            found.push({item.version_index, item.nonce});
        if (found_here_->count > capacity) found.push({});  // one more than fits: an overflow
    }

    /// Waits for all that has been started, and for the copy.
    void fetch(void* here, const void* there, std::size_t bytes) {
        check(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, stream_.get()), "fetching results");
        check(cudaEventRecord(done_.get(), stream_.get()), "recording an event");
        check(cudaEventSynchronize(done_.get()), "the search");
    }

    const DeviceInfo info_;
    const int device_;
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream> stream_;
    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent> done_;
    std::unique_ptr<Found, FreeOnDevice> found_;
    std::unique_ptr<Found, FreeOnHost> found_here_;
};

}  // namespace

std::unique_ptr<gpu::Engine> make_engine(const Probe& probe) {
    return std::make_unique<CudaEngine>(probe.info, static_cast<int>(probe.index));
}

}  // namespace gpuminer::cuda
