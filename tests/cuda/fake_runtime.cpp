#include "fake_runtime.hpp"

#include <cstdlib>
#include <cstring>

#include "cuda/launch.hpp"
#include "host/backend.h"
#include "threads.hpp"

namespace gpuminer::test {
namespace {

struct FakeKernel {
    int mix;
    bool rolled;
};
constexpr FakeKernel kKernels[4][2] = {
    {{0, false}, {0, true}}, {{1, false}, {1, true}}, {{2, false}, {2, true}}, {{3, false}, {3, true}}};

cudaError_t result_of(const char* function) {
    const auto error = fake_runtime().errors.find(function);
    return error == fake_runtime().errors.end() ? cudaSuccess : error->second;
}

/// Memory, streams and events are all memory.
template <class Handle>
cudaError_t make(const char* function, Handle* handle, std::size_t bytes = 1) {
    if (const cudaError_t error = result_of(function)) return error;
    *handle = static_cast<Handle>(std::calloc(1, bytes));
    ++fake_runtime().alive;
    return cudaSuccess;
}

cudaError_t destroy(void* handle) {
    std::free(handle);
    --fake_runtime().alive;
    return cudaSuccess;
}

template <class Launch>
void run(int mix, const void* launch_memory, cuda::word threads, void** parameters) {
    const auto& launch = *static_cast<const Launch*>(launch_memory);
    auto* const items = *static_cast<cuda::FoundItem**>(parameters[1]);
    auto* const count = *static_cast<cuda::word**>(parameters[2]);
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

}  // namespace

FakeRuntime& fake_runtime() {
    static FakeRuntime runtime;
    return runtime;
}

}  // namespace gpuminer::test

namespace gpuminer::cuda {

template <>
Kernels kernels<0>() {
    return {&test::kKernels[0][0], &test::kKernels[0][1]};
}
template <>
Kernels kernels<1>() {
    return {&test::kKernels[1][0], &test::kKernels[1][1]};
}
template <>
Kernels kernels<2>() {
    return {&test::kKernels[2][0], &test::kKernels[2][1]};
}
template <>
Kernels kernels<3>() {
    return {&test::kKernels[3][0], &test::kKernels[3][1]};
}

}  // namespace gpuminer::cuda

using namespace gpuminer::test;

extern "C" {

const char* cudaGetErrorName(cudaError_t) { return "cudaErrorFake"; }
const char* cudaGetErrorString(cudaError_t) { return "a fake error"; }
cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) {
    *version = fake_runtime().driver_version;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = static_cast<int>(fake_runtime().devices.size());
    return result_of("cudaGetDeviceCount");
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    *properties = fake_runtime().devices.at(static_cast<std::size_t>(device)).properties;
    return result_of("cudaGetDeviceProperties");
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    const FakeDevice& fake = fake_runtime().devices.at(static_cast<std::size_t>(device));
    *value = attribute == cudaDevAttrClockRate ? fake.clock_khz : fake.compute_mode;
    return result_of("cudaDeviceGetAttribute");
}
cudaError_t cudaSetDevice(int) { return result_of("cudaSetDevice"); }

cudaError_t cudaMalloc(void** memory, size_t bytes) { return make("cudaMalloc", memory, bytes); }
cudaError_t cudaMallocHost(void** memory, size_t bytes) { return make("cudaMallocHost", memory, bytes); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return make("cudaStreamCreate", stream); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return make("cudaEventCreate", event); }
cudaError_t cudaFree(void* memory) { return destroy(memory); }
cudaError_t cudaFreeHost(void* memory) { return destroy(memory); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return destroy(stream); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return destroy(event); }

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) { return result_of("cudaFuncGetAttributes"); }
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return result_of("cudaFuncSetAttribute"); }

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
    std::memset(memory, value, bytes);
    return result_of("cudaMemsetAsync");
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
    std::memcpy(to, from, bytes);
    return result_of("cudaMemcpyAsync");
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return result_of("cudaEventRecord"); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return result_of("cudaEventSynchronize"); }

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** parameters, size_t shared_bytes,
                             cudaStream_t) {
    if (const cudaError_t error = result_of("cudaLaunchKernel")) return error;
    const FakeKernel& kernel = *static_cast<const FakeKernel*>(function);
    fake_runtime().launches.push_back(std::string(kernel.rolled ? "rolled" : "fixed") + " mix " +
                                      std::to_string(kernel.mix) + ", " + std::to_string(grid.x) + " blocks of " +
                                      std::to_string(block.x) + ", " + std::to_string(shared_bytes) + " bytes");
    const unsigned threads = grid.x * block.x;
    if (kernel.rolled) {
        run<gpuminer::cuda::RolledLaunch>(kernel.mix, parameters[0], threads, parameters);
    } else {
        run<gpuminer::cuda::FixedLaunch>(kernel.mix, parameters[0], threads, parameters);
    }
    return cudaSuccess;
}
}
