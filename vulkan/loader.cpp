#include "vulkan/loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "gpuminer_build_info.hpp"

namespace gpuminer::vulkan {
namespace {

/// Opened once and never closed: drivers start threads and register exit handlers that outlive an instance.
PFN_vkGetInstanceProcAddr open_loader(const char* library) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void* const entry = handle == nullptr ? nullptr : dlsym(handle, "vkGetInstanceProcAddr");
    if (entry == nullptr) {
        throw NoVulkan(fmt::format(
            "the Vulkan loader ({}) is not installed; install it (Debian and Ubuntu: libvulkan1) and the GPU's driver",
            library));
    }
    return reinterpret_cast<PFN_vkGetInstanceProcAddr>(entry);  // as dlsym() is meant to be used (POSIX)
}

vk::raii::Instance make_instance(const vk::raii::Context& context) {
    const vk::ApplicationInfo application("gpuminer", 0, "gpuminer", 0, kApiVersion);
    try {
        return {context, vk::InstanceCreateInfo({}, &application)};
    } catch (const vk::IncompatibleDriverError&) {
        throw NoVulkan(
            "no Vulkan driver works here; install the GPU's (NVIDIA's own, or mesa-vulkan-drivers for AMD and Intel)");
    } catch (const vk::Error& error) {
        throw NoVulkan(
            fmt::format("Vulkan cannot start ({}); is the GPU's driver installed completely?", error.what()));
    }
}

}  // namespace

Vulkan::Vulkan(const char* library) : context_(open_loader(library)), instance_(make_instance(context_)) {}

}  // namespace gpuminer::vulkan
