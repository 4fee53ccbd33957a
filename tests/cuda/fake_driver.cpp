#include "fake_driver.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cuda/launch.hpp"
#include "host/backend.h"
#include "threads.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using cuda::DeviceMemory, cuda::DeviceNumber, cuda::Result, cuda::kSuccess;

namespace {

constexpr Result kNotFound = 500;

int number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? 0 : std::atoi(text);
}

FakeDriver of_the_environment() {
    FakeDriver driver;
    if (const int version = number_in("FAKE_CUDA_VERSION")) driver.version = version;
    if (const int capability = number_in("FAKE_CUDA_CAPABILITY")) {
        driver.devices.emplace_back();
        driver.devices.back().attributes[cuda::kComputeCapabilityMajor] = capability / 10;
        driver.devices.back().attributes[cuda::kComputeCapabilityMinor] = capability % 10;
    }
    return driver;
}

Result result_of(const char* function) {
    const auto error = fake_driver().errors.find(function);
    return error == fake_driver().errors.end() ? kSuccess : error->second;
}

/// Whatever is made is memory.
template <class Handle>
Result make(const char* function, Handle* handle, std::size_t bytes = 1) {
    if (const Result error = result_of(function)) return error;
    void* const memory = std::calloc(1, bytes);
    std::memcpy(handle, &memory, sizeof memory);
    ++fake_driver().alive;
    return kSuccess;
}

template <class Handle>
Result destroy(Handle handle) {
    void* memory = nullptr;
    std::memcpy(&memory, &handle, sizeof memory);
    std::free(memory);
    --fake_driver().alive;
    return kSuccess;
}

void* host_pointer(DeviceMemory memory) { return reinterpret_cast<void*>(memory); }

/// The name of its kernel is all that is taken of a module: "rolled_3" has this form and this mix.
struct FakeKernel {
    std::string name;

    [[nodiscard]] bool rolled() const { return name.starts_with("rolled"); }
    [[nodiscard]] int mix() const { return name.back() - '0'; }
};

std::string kind_of(const void* image) {
    constexpr unsigned char kFatbin[] = {0x50, 0xed, 0x55, 0xba};
    if (std::memcmp(image, kFatbin, sizeof kFatbin) == 0) return "machine code";
    return std::string_view(static_cast<const char*>(image)).find(".target sm_50") != std::string_view::npos ? "PTX"
                                                                                                             : "";
}

template <class Launch>
void run(int mix, const void* launch_memory, cuda::word threads, void** parameters) {
    const auto& launch = *static_cast<const Launch*>(launch_memory);
    auto* const items = static_cast<cuda::FoundItem*>(host_pointer(*static_cast<DeviceMemory*>(parameters[1])));
    auto* const count = static_cast<cuda::word*>(host_pointer(*static_cast<DeviceMemory*>(parameters[2])));
    const cuda::word capacity = *static_cast<cuda::word*>(parameters[3]);
    const auto found = [=](cuda::word version_index, cuda::word nonce) {
        if (*count < capacity) items[*count] = {version_index, nonce};
        ++*count;
    };
    switch (mix) {
        case 0: return run_threads<0>(launch, threads, found);
        case 1: return run_threads<1>(launch, threads, found);
        case 2: return run_threads<2>(launch, threads, found);
        default: return run_threads<3>(launch, threads, found);
    }
}

FakeDevice& device_of(DeviceNumber device) { return fake_driver().devices.at(static_cast<std::size_t>(device)); }

}  // namespace

namespace gpuminer::test {

FakeDriver& fake_driver() {
    static FakeDriver driver = of_the_environment();
    return driver;
}

}  // namespace gpuminer::test

extern "C" {

Result cuInit(unsigned) { return result_of("cuInit"); }
Result cuDriverGetVersion(int* version) {
    *version = fake_driver().version;
    return result_of("cuDriverGetVersion");
}
Result cuGetErrorName(Result, const char** name) {
    *name = "CUDA_ERROR_FAKE";
    return kSuccess;
}
Result cuGetErrorString(Result, const char** text) {
    *text = "a fake error";
    return kSuccess;
}

Result cuDeviceGetCount(int* count) {
    *count = static_cast<int>(fake_driver().devices.size());
    return result_of("cuDeviceGetCount");
}
Result cuDeviceGet(DeviceNumber* device, int index) {
    *device = index;
    return result_of("cuDeviceGet");
}
Result cuDeviceGetName(char* name, int size, DeviceNumber device) {
    std::strncpy(name, device_of(device).model.c_str(), static_cast<std::size_t>(size));
    return result_of("cuDeviceGetName");
}
Result cuDeviceGetAttribute(int* value, cuda::DeviceAttribute attribute, DeviceNumber device) {
    *value = device_of(device).attributes[attribute];
    return result_of("cuDeviceGetAttribute");
}
Result cuDeviceGetUuid(cuda::Uuid* uuid, DeviceNumber device) {
    std::memcpy(uuid->bytes, device_of(device).uuid, sizeof uuid->bytes);
    return result_of("cuDeviceGetUuid");
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceNumber device) {
    *bytes = device_of(device).memory_bytes;
    return result_of("cuDeviceTotalMem");
}

Result cuDevicePrimaryCtxRetain(cuda::Context* context, DeviceNumber) {
    static char the_context;
    if (const Result error = result_of("cuDevicePrimaryCtxRetain")) return error;
    *context = reinterpret_cast<cuda::Context>(&the_context);
    ++fake_driver().alive;
    return kSuccess;
}
Result cuDevicePrimaryCtxRelease(DeviceNumber) {
    --fake_driver().alive;
    return kSuccess;
}
Result cuCtxSetCurrent(cuda::Context) { return result_of("cuCtxSetCurrent"); }

Result cuModuleLoadDataEx(cuda::Module* module, const void* image, unsigned, cuda::JitOption*, void** values) {
    if (const Result error = result_of("cuModuleLoadDataEx")) {
        std::strcpy(static_cast<char*>(values[0]), fake_driver().compiler_says.c_str());
        return error;
    }
    fake_driver().loaded.push_back(kind_of(image));
    return make("cuModuleLoadDataEx", module);
}
Result cuModuleUnload(cuda::Module module) { return destroy(module); }
Result cuModuleGetFunction(cuda::Function* function, cuda::Module, const char* name) {
    static std::map<std::string, FakeKernel> kernels;
    if (const Result error = result_of("cuModuleGetFunction")) return error;
    if (std::strlen(name) < 2) return kNotFound;
    fake_driver().loaded.back() += std::string(" ") + name;
    *function = reinterpret_cast<cuda::Function>(&kernels.try_emplace(name, FakeKernel{name}).first->second);
    return kSuccess;
}
Result cuFuncSetAttribute(cuda::Function, cuda::FunctionAttribute, int) { return result_of("cuFuncSetAttribute"); }

Result cuStreamCreate(cuda::Stream* stream, unsigned) { return make("cuStreamCreate", stream); }
Result cuStreamDestroy_v2(cuda::Stream stream) { return destroy(stream); }
Result cuEventCreate(cuda::Event* event, unsigned) { return make("cuEventCreate", event); }
Result cuEventDestroy_v2(cuda::Event event) { return destroy(event); }
Result cuEventRecord(cuda::Event, cuda::Stream) { return result_of("cuEventRecord"); }
Result cuEventSynchronize(cuda::Event) { return result_of("cuEventSynchronize"); }
Result cuEventElapsedTime(float*, cuda::Event, cuda::Event) { return result_of("cuEventElapsedTime"); }

Result cuMemAlloc_v2(DeviceMemory* memory, std::size_t bytes) { return make("cuMemAlloc", memory, bytes); }
Result cuMemFree_v2(DeviceMemory memory) { return destroy(memory); }
Result cuMemAllocHost_v2(void** memory, std::size_t bytes) { return make("cuMemAllocHost", memory, bytes); }
Result cuMemFreeHost(void* memory) { return destroy(memory); }
Result cuMemsetD32Async(DeviceMemory memory, unsigned value, std::size_t count, cuda::Stream) {
    for (std::size_t i = 0; i < count; ++i) static_cast<unsigned*>(host_pointer(memory))[i] = value;
    return result_of("cuMemsetD32Async");
}
Result cuMemcpyDtoHAsync_v2(void* here, DeviceMemory there, std::size_t bytes, cuda::Stream) {
    std::memcpy(here, host_pointer(there), bytes);
    return result_of("cuMemcpyDtoHAsync");
}

Result cuLaunchKernel(cuda::Function function, unsigned blocks, unsigned, unsigned, unsigned threads_of_block, unsigned,
                      unsigned, unsigned shared_bytes, cuda::Stream, void** parameters, void**) {
    if (const Result error = result_of("cuLaunchKernel")) return error;
    const auto& kernel = *reinterpret_cast<const FakeKernel*>(function);
    fake_driver().launches.push_back(kernel.name + ", " + std::to_string(blocks) + " blocks of " +
                                     std::to_string(threads_of_block) + ", " + std::to_string(shared_bytes) + " bytes");
    const unsigned threads = blocks * threads_of_block;
    if (kernel.rolled()) {
        run<cuda::RolledLaunch>(kernel.mix(), parameters[0], threads, parameters);
    } else {
        run<cuda::FixedLaunch>(kernel.mix(), parameters[0], threads, parameters);
    }
    return kSuccess;
}
}
