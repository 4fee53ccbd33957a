// CUDA devices. Everything of CUDA's is linked statically, but for the driver, which CUDA opens when it is first used.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cuda/backend.hpp"
#include "cuda/driver.hpp"
#include "cuda/kernels.hpp"
#include "host/gpu/engine.hpp"

namespace gpuminer {
namespace {

using namespace cuda;
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

Limits limits_of(const ScanJob& job, NonceRange range) {
    const gpu::LaunchWords words = gpu::launch_words(job, range);
    Limits limits{words.first_nonce, words.count, words.sieve_mask, words.target_top, words.one, {}};
    std::copy(std::begin(words.powers), std::end(words.powers), limits.powers);
    return limits;
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
        FixedLaunch launch{limits_of(job, range), {}};
        std::ranges::copy(job.job_words(), launch.job);
        run(kernels_for(variant.mix).fixed, variant.group, 0, launch, found);
    }

    void scan_versions(const KernelVariant& variant, const ScanJob& job, NonceRange range, word first, word versions,
                       Candidates& found) {
        RolledLaunch launch{limits_of(job, range), first, versions, {}, {}};
        std::ranges::copy(job.job_words(), launch.job);
        for (word v = 0; v < versions; ++v) std::ranges::copy(job.version_words(first + v), launch.version[v]);
        run(kernels_for(variant.mix).rolled, variant.group, std::size_t{kSharedBytesPerThread} * variant.group, launch,
            found);
    }

    template <class Launch>
    void run(const void* kernel, unsigned group, std::size_t shared_bytes, Launch& launch, Candidates& found) {
        if (launch.limits.count == 0) return;
        const unsigned blocks = (launch.limits.count + group - 1) / group;
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

std::string lower_hex(std::span<const char> bytes) {
    std::string text;
    for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
}

/// 0 where the device does not say.
int attribute(cudaDeviceAttr name, int device) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, device) == cudaSuccess ? value : 0;
}

std::string driver_name() {
    std::ifstream file("/proc/driver/nvidia/version");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string version = driver_version_in(text);
    return version.empty() ? "NVIDIA" : "NVIDIA " + version;
}

Probe unusable(std::string reason) {
    Probe probe;
    probe.info.name = "cuda";
    probe.info.backend = "cuda";
    probe.usable = false;
    probe.reason = std::move(reason);
    return probe;
}

Probe probe_device(int device, const std::string& driver, int cuda_version) {
    Probe probe;
    probe.index = static_cast<unsigned>(device);
    DeviceInfo& info = probe.info;
    info.backend = "cuda";
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess) {
        info.name = device_name(info.backend, "unknown", probe.index);
        probe.usable = false;
        probe.reason = fmt::format(
            "it does not answer ({}); see whether nvidia-smi shows it, and if not, restart the "
            "machine",
            cudaGetErrorString(error));
        return probe;
    }
    const auto capability = static_cast<unsigned>(10 * properties.major + properties.minor);
    info.kind = fmt::format("sm_{}", capability);
    info.name = device_name(info.backend, info.kind, probe.index);
    info.model = properties.name;
    info.driver = driver;
    info.api_version = "CUDA " + version_text(cuda_version);
    info.memory_bytes = properties.totalGlobalMem;
    info.units = static_cast<unsigned>(properties.multiProcessorCount);
    info.description = "one nonce per thread";
    info.clock_mhz = static_cast<unsigned>(attribute(cudaDevAttrClockRate, device)) / 1000;
    info.pci = fmt::format("{:04x}:{:02x}:{:02x}.0", static_cast<unsigned>(properties.pciDomainID),
                           static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
    info.uuid = lower_hex(properties.uuid.bytes);
    if (!has_code_for(capability, GPUMINER_CUDA_BUILT_FOR)) {
        probe.usable = false;
        probe.reason = fmt::format(
            "this build has no code for compute capability {}.{}; build it with "
            "GPUMINER_CUDA_ARCHITECTURES={}, or use the opencl backend",
            properties.major, properties.minor, capability);
    } else if (attribute(cudaDevAttrComputeMode, device) == cudaComputeModeProhibited) {
        probe.usable = false;
        probe.reason =
            fmt::format("its compute mode is \"prohibited\"; nvidia-smi -i {} -c DEFAULT allows it", info.pci);
    }
    probe.tuned_rate = probe.usable ? gpu::remembered_rate(info) : 0;
    return probe;
}

std::vector<Probe> probe(const DeviceOptions&) {
    DriverFacts facts = driver_facts();
    int count = 0;
    // Without the driver's library there is nothing to ask, and CUDA's answer would say less.
    const cudaError_t error = facts.driver_found ? cudaGetDeviceCount(&count) : cudaErrorInsufficientDriver;
    if (error != cudaSuccess || count == 0) {
        if (error != cudaSuccess && error != cudaErrorNoDevice) facts.error = cudaGetErrorString(error);
        return {unusable(why_no_device(facts))};
    }
    const std::string driver = driver_name();
    std::vector<Probe> probes;
    for (int device = 0; device < count; ++device) probes.push_back(probe_device(device, driver, facts.driver_version));
    return probes;
}

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions& options) {
    return gpu::make_gpu_device(std::make_unique<CudaEngine>(probe.info, static_cast<int>(probe.index)), options);
}

}  // namespace

const Backend kCudaBackend{"cuda", probe, open};

}  // namespace gpuminer
