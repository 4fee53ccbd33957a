#include "vulkan/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "host/gpu/engine.hpp"
#include "host/gpu/identity.hpp"
#include "vulkan/drivers.hpp"

namespace gpuminer::vulkan {
namespace {

constexpr const char* kBackend = "vulkan";

/// The middle of a device's name.
const char* kind_of(vk::PhysicalDeviceType type) {
    switch (type) {
        case vk::PhysicalDeviceType::eDiscreteGpu: return "discrete";
        case vk::PhysicalDeviceType::eIntegratedGpu: return "integrated";
        case vk::PhysicalDeviceType::eVirtualGpu: return "virtual";
        case vk::PhysicalDeviceType::eCpu: return "cpu";
        default: return "other";
    }
}

std::string api_version(std::uint32_t version) {
    return fmt::format("Vulkan {}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                       VK_API_VERSION_PATCH(version));
}

/// Of its own memory; where several heaps are (the part that the CPU can reach may be listed apart), the largest.
std::uint64_t memory_bytes(const vk::PhysicalDeviceMemoryProperties& memory) {
    std::uint64_t largest = 0;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
        const vk::MemoryHeap& heap = memory.memoryHeaps[i];
        if (heap.flags & vk::MemoryHeapFlagBits::eDeviceLocal) largest = std::max<std::uint64_t>(largest, heap.size);
    }
    return largest;
}

/// What extensions say of a device; each is asked for only where the device has it.
class Details {
public:
    explicit Details(const vk::raii::PhysicalDevice& device)
        : extensions_(device.enumerateDeviceExtensionProperties()) {
        vk::PhysicalDeviceProperties2 all;
        chain(all, ids_, nullptr);
        chain(all, driver_, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
        chain(all, pci_, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
        chain(all, nvidia_, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
        chain(all, amd_, VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME);
        chain(all, arm_, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME);
        // This function is Vulkan 1.1's; vulkan.hpp has only the way with a fixed chain of structures.
        device.getDispatcher()->vkGetPhysicalDeviceProperties2(*device,
                                                               reinterpret_cast<VkPhysicalDeviceProperties2*>(&all));
        properties_ = all.properties;
    }

    [[nodiscard]] std::string driver() const {
        if (!has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) return fmt::format("{:#x}", properties_.driverVersion);
        const std::string_view name = driver_.driverName.data(), version = driver_.driverInfo.data();
        return fmt::format("{}{}{}", name, version.empty() ? "" : " ", version);
    }
    [[nodiscard]] std::optional<vk::DriverId> driver_id() const {
        if (!has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) return std::nullopt;
        return driver_.driverID;
    }
    [[nodiscard]] std::string pci() const {
        if (!has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) return {};
        return gpu::pci_text({pci_.pciDomain, pci_.pciBus, pci_.pciDevice, pci_.pciFunction});
    }
    [[nodiscard]] std::string uuid() const { return gpu::uuid_text(std::as_bytes(std::span(ids_.deviceUUID))); }
    /// 1 where no extension tells.
    [[nodiscard]] unsigned units() const {
        return std::max({1U, nvidia_.shaderSMCount, amd_.activeComputeUnitCount, arm_.shaderCoreCount});
    }

private:
    [[nodiscard]] bool has(std::string_view extension) const {
        return std::ranges::any_of(extensions_, [=](const vk::ExtensionProperties& one) {
            return extension == std::string_view(one.extensionName.data());
        });
    }
    template <class Structure>
    void chain(vk::PhysicalDeviceProperties2& head, Structure& structure, const char* extension) {
        if (extension != nullptr && !has(extension)) return;
        structure.pNext = head.pNext;
        head.pNext = &structure;
    }

    std::vector<vk::ExtensionProperties> extensions_;
    vk::PhysicalDeviceProperties properties_;
    vk::PhysicalDeviceIDProperties ids_;
    vk::PhysicalDeviceDriverProperties driver_;
    vk::PhysicalDevicePCIBusInfoPropertiesEXT pci_;
    vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia_;
    vk::PhysicalDeviceShaderCoreProperties2AMD amd_;
    vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM arm_;
};

void judge(Probe& probe, const vk::raii::PhysicalDevice& device, std::uint32_t version) {
    const auto unusable = [&probe](std::string reason) {
        probe.usable = false;
        probe.reason = std::move(reason);
    };
    if (version < kApiVersion) {
        unusable(fmt::format("its driver offers {}, but 1.1 is needed; install a newer driver", api_version(version)));
    } else if (!compute_family(device)) {
        unusable("it cannot compute, only draw; another API may offer more of it");
    } else if (probe.info.software) {
        probe.used_by_default = false;
        probe.reason = "it runs on the CPU, where the cpu backend is faster; name it with -d or --backend to use it";
    }
}

Probe describe(const vk::raii::PhysicalDevice& device, unsigned index) {
    const vk::PhysicalDeviceProperties properties = device.getProperties();
    Probe probe;
    probe.index = index;
    DeviceInfo& info = probe.info;
    info.backend = kBackend;
    info.kind = kind_of(properties.deviceType);
    info.name = device_name(kBackend, info.kind, index);
    info.model = properties.deviceName.data();
    info.memory_bytes = memory_bytes(device.getMemoryProperties());
    info.api_version = api_version(properties.apiVersion);
    info.software = properties.deviceType == vk::PhysicalDeviceType::eCpu;
    if (properties.apiVersion >= kApiVersion) {
        const Details details(device);
        info.driver = details.driver();
        info.pci = details.pci();
        info.uuid = details.uuid();
        info.units = details.units();
    }
    judge(probe, device, properties.apiVersion);
    if (probe.usable) probe.tuned_rate = gpu::remembered_rate(info);
    return probe;
}

}  // namespace

Probe no_device(std::string reason) {
    Probe probe;
    probe.info.name = kBackend;
    probe.info.backend = kBackend;
    probe.usable = false;
    probe.reason = std::move(reason);
    return probe;
}

std::vector<Probe> probe_devices(const char* loader_library) {
    std::vector<Probe> probes;
    std::string reason = "no Vulkan driver found a GPU; if there is one, install its driver";
    try {
        const Vulkan vulkan(loader_library);
        for (const vk::raii::PhysicalDevice& device : vk::raii::PhysicalDevices(vulkan.instance()))
            probes.push_back(describe(device, static_cast<unsigned>(probes.size())));
    } catch (const NoVulkan& error) {
        reason = error.what();
    } catch (const vk::Error& error) {
        reason = fmt::format("Vulkan failed ({}); is the GPU's driver installed completely?", error.what());
    }
    const bool real = std::ranges::any_of(probes, [](const Probe& probe) { return !probe.info.software; });
    if (const auto node = forbidden_node(); node && !real) {
        probes.push_back(no_device(fmt::format(
            "this user may not open the GPU's {}; make the user a member of that file's group (sudo usermod -aG)",
            node->string())));
    } else if (probes.empty()) {
        probes.push_back(no_device(reason));
    }
    return probes;
}

std::optional<vk::DriverId> driver_of(const vk::raii::PhysicalDevice& device) { return Details(device).driver_id(); }

std::optional<std::uint32_t> compute_family(const vk::raii::PhysicalDevice& device) {
    std::optional<std::uint32_t> found;
    const auto families = device.getQueueFamilyProperties();
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        if (!(families[i].queueFlags & vk::QueueFlagBits::eCompute)) continue;
        if (!(families[i].queueFlags & vk::QueueFlagBits::eGraphics)) return i;
        if (!found) found = i;
    }
    return found;
}

}  // namespace gpuminer::vulkan
