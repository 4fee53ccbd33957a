#include "vulkan/loader.hpp"

#include <fmt/format.h>

#include "gpuminer_build_info.hpp"
#include "host/system/shared_library.hpp"
#include "vulkan/drivers.hpp"

namespace gpuminer::vulkan {
namespace {

PFN_vkGetInstanceProcAddr open_loader(const char* library) {
    const auto entry = SharedLibrary(library).function<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
    if (entry == nullptr) {
        throw NoVulkan(fmt::format("the Vulkan loader ({}) is not installed; {}", library, kRemedies.no_loader));
    }
    return entry;
}

vk::raii::Instance make_instance(const vk::raii::Context& context) {
    const vk::ApplicationInfo application("gpuminer", 0, "gpuminer", 0, kApiVersion);
    try {
        return {context, vk::InstanceCreateInfo({}, &application)};
    } catch (const vk::IncompatibleDriverError&) {
        throw NoVulkan(fmt::format("no Vulkan driver works here; {}", kRemedies.no_driver));
    } catch (const vk::Error& error) {
        throw NoVulkan(
            fmt::format("Vulkan cannot start ({}); is the GPU's driver installed completely?", error.what()));
    }
}

}  // namespace

Vulkan::Vulkan(const char* library) : context_(open_loader(library)), instance_(make_instance(context_)) {}

}  // namespace gpuminer::vulkan
