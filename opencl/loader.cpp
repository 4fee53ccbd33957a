#include "opencl/loader.hpp"

#include <fmt/format.h>

#include <optional>
#include <type_traits>

#include "host/errors.hpp"
#include "host/system/shared_library.hpp"
#include "opencl/drivers.hpp"

namespace gpuminer::opencl {

Api load_api(std::span<const char* const> libraries) {
    std::optional<SharedLibrary> library;
    for (const char* const name : libraries) {
        if (!library || !library->loaded()) library.emplace(name);
    }
    if (!library || !library->loaded()) {
        throw NoDeviceError(fmt::format("there is no OpenCL loader ({} cannot be opened); {}",
                                        libraries.empty() ? "libOpenCL" : libraries.front(), kRemedies.no_loader));
    }
    Api api;
    const auto load = [&](auto& function, const char* name) {
        function = library->function<std::remove_reference_t<decltype(function)>>(name);
        if (function != nullptr) return;
        throw NoDeviceError(
            fmt::format("the OpenCL loader of this system is older than OpenCL 1.2 ({} is missing in it); {}", name,
                        kRemedies.old_loader));
    };
#define GPUMINER_OPENCL_LOAD(name) load(api.name, "cl" #name);
    GPUMINER_OPENCL_FUNCTIONS(GPUMINER_OPENCL_LOAD)
#undef GPUMINER_OPENCL_LOAD
    return api;
}

const Api& system_api() {
    static const Api api = load_api();
    return api;
}

std::string name_of_status(cl_int status) {
    switch (status) {
#define GPUMINER_OPENCL_STATUS(name) \
    case name: return #name;
        GPUMINER_OPENCL_STATUS(CL_SUCCESS)
        GPUMINER_OPENCL_STATUS(CL_DEVICE_NOT_FOUND)
        GPUMINER_OPENCL_STATUS(CL_DEVICE_NOT_AVAILABLE)
        GPUMINER_OPENCL_STATUS(CL_COMPILER_NOT_AVAILABLE)
        GPUMINER_OPENCL_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        GPUMINER_OPENCL_STATUS(CL_OUT_OF_RESOURCES)
        GPUMINER_OPENCL_STATUS(CL_OUT_OF_HOST_MEMORY)
        GPUMINER_OPENCL_STATUS(CL_BUILD_PROGRAM_FAILURE)
        GPUMINER_OPENCL_STATUS(CL_MAP_FAILURE)
        GPUMINER_OPENCL_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        GPUMINER_OPENCL_STATUS(CL_COMPILE_PROGRAM_FAILURE)
        GPUMINER_OPENCL_STATUS(CL_LINKER_NOT_AVAILABLE)
        GPUMINER_OPENCL_STATUS(CL_LINK_PROGRAM_FAILURE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_VALUE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_PLATFORM)
        GPUMINER_OPENCL_STATUS(CL_INVALID_DEVICE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_CONTEXT)
        GPUMINER_OPENCL_STATUS(CL_INVALID_QUEUE_PROPERTIES)
        GPUMINER_OPENCL_STATUS(CL_INVALID_COMMAND_QUEUE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_MEM_OBJECT)
        GPUMINER_OPENCL_STATUS(CL_INVALID_BINARY)
        GPUMINER_OPENCL_STATUS(CL_INVALID_BUILD_OPTIONS)
        GPUMINER_OPENCL_STATUS(CL_INVALID_PROGRAM)
        GPUMINER_OPENCL_STATUS(CL_INVALID_PROGRAM_EXECUTABLE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_KERNEL_NAME)
        GPUMINER_OPENCL_STATUS(CL_INVALID_KERNEL_DEFINITION)
        GPUMINER_OPENCL_STATUS(CL_INVALID_KERNEL)
        GPUMINER_OPENCL_STATUS(CL_INVALID_ARG_INDEX)
        GPUMINER_OPENCL_STATUS(CL_INVALID_ARG_VALUE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_ARG_SIZE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_KERNEL_ARGS)
        GPUMINER_OPENCL_STATUS(CL_INVALID_WORK_GROUP_SIZE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_WORK_ITEM_SIZE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_GLOBAL_WORK_SIZE)
        GPUMINER_OPENCL_STATUS(CL_INVALID_EVENT)
        GPUMINER_OPENCL_STATUS(CL_INVALID_OPERATION)
        GPUMINER_OPENCL_STATUS(CL_INVALID_BUFFER_SIZE)
        GPUMINER_OPENCL_STATUS(CL_PLATFORM_NOT_FOUND_KHR)
#undef GPUMINER_OPENCL_STATUS
        default: return fmt::format("OpenCL status {}", status);
    }
}

void check(cl_int status, std::string_view attempt) {
    if (status == CL_SUCCESS) return;
    throw DeviceError(fmt::format("OpenCL could not {} ({})", attempt, name_of_status(status)));
}

}  // namespace gpuminer::opencl
