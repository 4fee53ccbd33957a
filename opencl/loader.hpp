// OpenCL 1.2, loaded at run time: the functions of the ICD loader in a table (nothing is linked, so that gpuminer
// starts without one), handles that release themselves, status codes as DeviceError.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "host/system/driver_libraries.hpp"

namespace gpuminer::opencl {

// clang-format off
#define GPUMINER_OPENCL_FUNCTIONS(X)                                                                                \
    X(GetPlatformIDs) X(GetPlatformInfo) X(GetDeviceIDs) X(GetDeviceInfo)                                           \
    X(CreateContext) X(ReleaseContext) X(CreateCommandQueue) X(ReleaseCommandQueue) X(CreateBuffer)                 \
    X(ReleaseMemObject) X(CreateProgramWithSource) X(CreateProgramWithBinary) X(BuildProgram) X(ReleaseProgram)     \
    X(GetProgramInfo) X(GetProgramBuildInfo) X(CreateKernel) X(ReleaseKernel) X(SetKernelArg) X(EnqueueWriteBuffer) \
    X(EnqueueNDRangeKernel) X(EnqueueReadBuffer) X(Flush) X(Finish) X(SetEventCallback) X(GetEventInfo)             \
    X(ReleaseEvent)
// clang-format on

/// clGetPlatformIDs() is api.GetPlatformIDs(), and so on. A table of their own lets tests play a driver that fails.
struct Api {
#define GPUMINER_OPENCL_MEMBER(name) decltype(&::cl##name) name = nullptr;
    GPUMINER_OPENCL_FUNCTIONS(GPUMINER_OPENCL_MEMBER)
#undef GPUMINER_OPENCL_MEMBER
};

/// Opens the first of these libraries that is there; it stays open. Throws NoDeviceError: what is missing, and the
/// remedy.
[[nodiscard]] Api load_api(std::span<const char* const> libraries = opencl_libraries());
/// The one of this process, loaded at the first call. Throws like load_api().
[[nodiscard]] const Api& system_api();

/// A cl_context, cl_program, …, with the function that releases it.
template <class T>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, cl_int (*)(T)>;

/// "CL_OUT_OF_RESOURCES"; for a status that OpenCL 1.2 does not know "OpenCL status -9999".
[[nodiscard]] std::string name_of_status(cl_int status);
/// Throws DeviceError unless the status is CL_SUCCESS: "OpenCL could not " + `attempt` ("start the kernel") + the name.
void check(cl_int status, std::string_view attempt);

}  // namespace gpuminer::opencl
