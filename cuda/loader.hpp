// NVIDIA's driver API, loaded at run time: the functions of kCudaLibrary in a table (nothing is linked, and none of
// NVIDIA's headers is needed), results as DeviceError. The types and numbers are those of the CUDA Driver API
// reference; tests/cuda/check_abi.cpp compares them with NVIDIA's header where there is one. (On 64-bit Windows there
// is one calling convention: the reference's CUDAAPI says nothing there.)
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuminer::cuda {

/// CUresult, CUdevice, CUdeviceptr; the others are pointers to what only the driver knows.
using Result = int;
using DeviceNumber = int;
using DeviceMemory = unsigned long long;
using Context = struct ContextOfDriver*;
using Module = struct ModuleOfDriver*;
using Function = struct FunctionOfDriver*;
using Stream = struct StreamOfDriver*;
using Event = struct EventOfDriver*;
struct Uuid {
    unsigned char bytes[16];
};

inline constexpr Result kSuccess = 0, kNoDevice = 100;
inline constexpr int kComputeModeProhibited = 2;
inline constexpr unsigned kStreamNonBlocking = 1, kEventBlockingSync = 1, kEventDisableTiming = 2;

enum DeviceAttribute : int {
    kClockRate = 13,  // kHz
    kMultiprocessorCount = 16,
    kComputeMode = 20,
    kPciBus = 33,
    kPciDevice = 34,
    kPciDomain = 50,
    kComputeCapabilityMajor = 75,
    kComputeCapabilityMinor = 76,
};
enum FunctionAttribute : int { kSharedMemoryCarveout = 9 };  // percent of what a multiprocessor has
enum JitOption : int { kJitErrorLog = 5, kJitErrorLogSize = 6 };

// clang-format off
#define GPUMINER_CUDA_FUNCTIONS(X)                                                                                     \
    X(Init, cuInit, (unsigned flags))                                                                                  \
    X(DriverGetVersion, cuDriverGetVersion, (int* version))                                                            \
    X(GetErrorName, cuGetErrorName, (Result result, const char** name))                                                \
    X(GetErrorString, cuGetErrorString, (Result result, const char** text))                                            \
    X(DeviceGetCount, cuDeviceGetCount, (int* count))                                                                  \
    X(DeviceGet, cuDeviceGet, (DeviceNumber* device, int index))                                                       \
    X(DeviceGetName, cuDeviceGetName, (char* name, int size, DeviceNumber device))                                     \
    X(DeviceGetAttribute, cuDeviceGetAttribute, (int* value, DeviceAttribute attribute, DeviceNumber device))          \
    X(DeviceGetUuid, cuDeviceGetUuid, (Uuid* uuid, DeviceNumber device))                                               \
    X(DeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t* bytes, DeviceNumber device))                                  \
    X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context* context, DeviceNumber device))                       \
    X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, (DeviceNumber device))                                       \
    X(CtxSetCurrent, cuCtxSetCurrent, (Context context))                                                               \
    X(ModuleLoadDataEx, cuModuleLoadDataEx,                                                                            \
      (Module* module, const void* image, unsigned options, JitOption* names, void** values))                          \
    X(ModuleUnload, cuModuleUnload, (Module module))                                                                   \
    X(ModuleGetFunction, cuModuleGetFunction, (Function* function, Module module, const char* name))                   \
    X(FuncSetAttribute, cuFuncSetAttribute, (Function function, FunctionAttribute attribute, int value))               \
    X(StreamCreate, cuStreamCreate, (Stream* stream, unsigned flags))                                                  \
    X(StreamDestroy, cuStreamDestroy_v2, (Stream stream))                                                              \
    X(EventCreate, cuEventCreate, (Event* event, unsigned flags))                                                      \
    X(EventDestroy, cuEventDestroy_v2, (Event event))                                                                  \
    X(EventRecord, cuEventRecord, (Event event, Stream stream))                                                        \
    X(EventSynchronize, cuEventSynchronize, (Event event))                                                             \
    X(EventElapsedTime, cuEventElapsedTime, (float* milliseconds, Event start, Event end))                             \
    X(MemAlloc, cuMemAlloc_v2, (DeviceMemory* memory, std::size_t bytes))                                              \
    X(MemFree, cuMemFree_v2, (DeviceMemory memory))                                                                    \
    X(MemAllocHost, cuMemAllocHost_v2, (void** memory, std::size_t bytes))                                             \
    X(MemFreeHost, cuMemFreeHost, (void* memory))                                                                      \
    X(MemsetD32Async, cuMemsetD32Async, (DeviceMemory memory, unsigned value, std::size_t count, Stream stream))       \
    X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void* here, DeviceMemory there, std::size_t bytes, Stream stream))       \
    X(LaunchKernel, cuLaunchKernel,                                                                                    \
      (Function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,                 \
       unsigned threads_y, unsigned threads_z, unsigned shared_bytes, Stream stream, void** parameters, void** extra))
// clang-format on

/// cuMemAlloc_v2() is api.MemAlloc(), and so on.
struct Api {
#define GPUMINER_CUDA_MEMBER(name, symbol, parameters) Result(*name) parameters = nullptr;
    GPUMINER_CUDA_FUNCTIONS(GPUMINER_CUDA_MEMBER)
#undef GPUMINER_CUDA_MEMBER
};

/// The driver's library, opened at the first call; it stays open. Null: it is not there, or too old to have all of it.
[[nodiscard]] const Api* system_api();

/// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
[[nodiscard]] std::string words_of(const Api& api, Result result);
/// Throws DeviceError unless the result is kSuccess: `attempt` ("starting the kernel") + " failed: " + the words.
void check(const Api& api, Result result, std::string_view attempt);

/// Loads machine code or PTX, which the driver compiles. Throws DeviceError with what its compiler said.
void load_module(const Api& api, const void* image, Module* module);

}  // namespace gpuminer::cuda
