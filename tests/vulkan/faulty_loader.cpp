// A Vulkan loader that passes everything on to the real one, but for what the variable FAULT names: what a device is
// not asked for in tests, a device that fails, one that is too old. Tests open this library in the loader's place.
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

bool fault(const char* name) {
    const char* const wanted = std::getenv("FAULT");
    return wanted != nullptr && std::strcmp(wanted, name) == 0;
}

PFN_vkGetInstanceProcAddr real_loader() {
    static void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr
                              : reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
}

VkInstance instance = nullptr;  // the last one made

template <class Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(real_loader()(instance, name));
}

VkResult create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator, VkInstance* made) {
    if (fault("instance")) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(real_loader()(nullptr, "vkCreateInstance"));
    const VkResult result = create(info, allocator, made);
    instance = *made;
    return result;
}

VkResult enumerate_devices(VkInstance of, std::uint32_t* count, VkPhysicalDevice* devices) {
    if (fault("no device")) {
        *count = 0;
        return VK_SUCCESS;
    }
    return real<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(of, count, devices);
}

void properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* result) {
    real<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(device, result);
    if (fault("old")) result->apiVersion = VK_MAKE_API_VERSION(0, 1, 0, 65);
    if (fault("other")) std::strcpy(result->deviceName, "another one");
    if (fault("discrete") || fault("nvidia") || fault("radv"))
        result->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    if (fault("nvidia")) result->vendorID = 0x10de;
}

void more_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* result) {
    real<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(device, result);
    auto* next = static_cast<VkBaseOutStructure*>(result->pNext);
    while (next != nullptr && next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) next = next->pNext;
    if (fault("radv") && next != nullptr)
        reinterpret_cast<VkPhysicalDeviceDriverProperties*>(next)->driverID = VK_DRIVER_ID_MESA_RADV;
}

void families(VkPhysicalDevice device, std::uint32_t* count, VkQueueFamilyProperties* result) {
    real<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties")(device, count,
                                                                                                   result);
    if (fault("only draws") && result != nullptr) {
        for (std::uint32_t i = 0; i < *count; ++i) result[i].queueFlags = VK_QUEUE_GRAPHICS_BIT;
    }
}

// Both wait first: what they say is not true, and what runs on must not be taken down.
template <VkResult kResult>
VkResult wait(VkDevice device, std::uint32_t count, const VkFence* fences, VkBool32 all, std::uint64_t timeout) {
    const auto get_function = real<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
    const auto real_wait = reinterpret_cast<PFN_vkWaitForFences>(get_function(device, "vkWaitForFences"));
    (void)real_wait(device, count, fences, all, timeout);
    return kResult;
}
VkResult submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; }

template <class Function>
PFN_vkVoidFunction as_void(Function function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction device_function(VkDevice device, const char* name) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("vkGetDeviceProcAddr")) return as_void(device_function);
    if (is("vkWaitForFences") && fault("lost")) return as_void(wait<VK_ERROR_DEVICE_LOST>);
    if (is("vkWaitForFences") && fault("timeout")) return as_void(wait<VK_TIMEOUT>);
    if (is("vkQueueSubmit") && fault("submit")) return as_void(submit);
    return real<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr")(device, name);
}

}  // namespace

extern "C" PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance of, const char* name) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (real_loader() == nullptr) return nullptr;
    if (is("vkCreateInstance")) return as_void(create_instance);
    if (is("vkEnumeratePhysicalDevices")) return as_void(enumerate_devices);
    if (is("vkGetPhysicalDeviceProperties")) return as_void(properties);
    if (is("vkGetPhysicalDeviceProperties2")) return as_void(more_properties);
    if (is("vkGetPhysicalDeviceQueueFamilyProperties")) return as_void(families);
    if (is("vkGetDeviceProcAddr")) return as_void(device_function);
    return real_loader()(of, name);
}
