#include "opencl/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <span>
#include <string>

#include "host/gpu/engine.hpp"
#include "host/gpu/identity.hpp"
#include "host/text/text.hpp"
#include "opencl/drivers.hpp"

namespace gpuminer::opencl {
namespace {

// Properties of NVIDIA's drivers (cl_nv_device_attribute_query), which Khronos' headers do not name.
constexpr cl_device_info kPciBusIdNv = 0x4008;
constexpr cl_device_info kPciSlotIdNv = 0x4009;  // device × 8 + function
constexpr cl_device_info kPciDomainIdNv = 0x400A;

/// Text of any object: `get(size, place, size_needed)` is the object's clGet…Info() for one property.
template <class Get>
std::string text_by(Get get) {
    std::size_t size = 0;
    if (get(0, nullptr, &size) != CL_SUCCESS) return {};
    std::string text(size, '\0');
    if (get(size, text.data(), nullptr) != CL_SUCCESS) return {};
    return std::string(trimmed(text.c_str()));  // to its NUL
}

bool has_extension(const Api& api, cl_device_id device, std::string_view name) {
    const std::string extensions = " " + device_text(api, device, CL_DEVICE_EXTENSIONS) + " ";
    return extensions.find(fmt::format(" {} ", name)) != std::string::npos;
}

std::string uuid_of(const Api& api, cl_device_id device) {
    if (!has_extension(api, device, "cl_khr_device_uuid")) return {};
    using Uuid = std::array<unsigned char, CL_UUID_SIZE_KHR>;
    const auto uuid = device_value<Uuid>(api, device, CL_DEVICE_UUID_KHR);
    std::string text = gpu::uuid_text(std::as_bytes(std::span(uuid)));
    return text.find_first_not_of('0') == std::string::npos ? std::string() : text;
}

std::string pci_of(const Api& api, cl_device_id device) {
    cl_device_pci_bus_info_khr place{};
    if (has_extension(api, device, "cl_khr_pci_bus_info")) {
        place = device_value(api, device, CL_DEVICE_PCI_BUS_INFO_KHR, place);
    } else if (has_extension(api, device, "cl_nv_device_attribute_query")) {
        const auto slot = device_value<cl_uint>(api, device, kPciSlotIdNv);
        place = {device_value<cl_uint>(api, device, kPciDomainIdNv), device_value<cl_uint>(api, device, kPciBusIdNv),
                 slot / 8, slot % 8};
    } else if (has_extension(api, device, "cl_amd_device_attribute_query")) {
        const auto topology = device_value<cl_device_topology_amd>(api, device, CL_DEVICE_TOPOLOGY_AMD);
        if (topology.raw.type != CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD) return {};
        const auto number = [](cl_char value) { return static_cast<cl_uint>(static_cast<unsigned char>(value)); };
        place = {0, number(topology.pcie.bus), number(topology.pcie.device), number(topology.pcie.function)};
    } else {
        return {};
    }
    if (place.pci_domain == 0 && place.pci_bus == 0 && place.pci_device == 0) return {};  // the host bridge: not known
    return gpu::pci_text({place.pci_domain, place.pci_bus, place.pci_device, place.pci_function});
}

std::string kind_of(cl_device_type type) {
    if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
    if ((type & CL_DEVICE_TYPE_CPU) != 0) return "cpu";
    return "accelerator";
}

/// "OpenCL 3.0" of "OpenCL 3.0 CUDA"
std::string api_version_of(const std::string& text) { return text.substr(0, text.find(' ', text.find(' ') + 1)); }

bool is_at_least_1_2(const std::string& api_version) {
    int major = 0, minor = 0;
    if (std::sscanf(api_version.c_str(), "OpenCL %d.%d", &major, &minor) != 2) return false;
    return major > 1 || (major == 1 && minor >= 2);
}

/// Why a device cannot be used; empty: it can.
std::string problem_of(const Api& api, cl_device_id device, const DeviceInfo& info) {
    if (device_value<cl_bool>(api, device, CL_DEVICE_AVAILABLE, CL_FALSE) == CL_FALSE)
        return fmt::format("its driver reports it as unavailable; {}", kRemedies.unavailable);
    if (!is_at_least_1_2(info.api_version))
        return fmt::format("OpenCL 1.2 is needed, but its driver has {}; install a newer driver",
                           info.api_version.empty() ? "no version" : info.api_version);
    if (device_value<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE, CL_FALSE) == CL_FALSE)
        return "its driver has no compiler for OpenCL C; install the complete driver";
    if (device_value<cl_bool>(api, device, CL_DEVICE_ENDIAN_LITTLE, CL_FALSE) == CL_FALSE)
        return "it is a big-endian device, which gpuminer does not support; use another one";
    return {};
}

Probe describe(const Api& api, cl_platform_id platform, cl_device_id device, unsigned index) {
    Probe probe;
    probe.index = index;
    DeviceInfo& info = probe.info;
    info.backend = "opencl";
    info.kind = kind_of(device_value<cl_device_type>(api, device, CL_DEVICE_TYPE));
    info.name = device_name(info.backend, info.kind, index);
    // AMD's CL_DEVICE_NAME is "gfx1030"; people know the board's name.
    if (has_extension(api, device, "cl_amd_device_attribute_query"))
        info.model = device_text(api, device, CL_DEVICE_BOARD_NAME_AMD);
    if (info.model.empty()) info.model = device_text(api, device, CL_DEVICE_NAME);
    info.driver = trimmed(fmt::format("{} {}", platform_text(api, platform, CL_PLATFORM_NAME),
                                      device_text(api, device, CL_DRIVER_VERSION)));
    info.api_version = api_version_of(device_text(api, device, CL_DEVICE_VERSION));
    info.memory_bytes = device_value<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info.units = device_value<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS, 1);
    // Not of a CPU: where PoCL does not know it (ARM64), it answers with a warning on standard error.
    if (info.kind != "cpu") info.clock_mhz = device_value<cl_uint>(api, device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info.pci = pci_of(api, device);
    info.uuid = uuid_of(api, device);
    info.software = info.kind == "cpu";

    probe.tuned_rate = gpu::remembered_rate(info);
    probe.reason = problem_of(api, device, info);
    probe.usable = probe.reason.empty();
    if (probe.usable && info.software) {
        probe.used_by_default = false;
        probe.reason = "it runs on the CPU, where the cpu backend is faster; name it with -d or --backend to use it";
    }
    return probe;
}

std::vector<cl_platform_id> platforms_of(const Api& api) {
    cl_uint count = 0;  // a loader without drivers gives an error (CL_PLATFORM_NOT_FOUND_KHR), or none
    if (api.GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_platform_id> platforms(count);
    if (count == 0 || api.GetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return {};
    return platforms;
}

std::string name_of(const Api& api, cl_platform_id platform) {
    std::string name = platform_text(api, platform, CL_PLATFORM_NAME);
    return name.empty() ? "one without a name" : name;
}

/// Why no device is listed, and the remedy.
std::string why_none(const Api& api, std::span<const cl_platform_id> platforms) {
    std::string names;
    for (const cl_platform_id platform : platforms) {
        names += (names.empty() ? "" : ", ") + name_of(api, platform);
    }
    if (names.empty()) names = fmt::format("{}", fmt::join(loadable_drivers(), ", "));
    if (names.empty())
        return fmt::format("no OpenCL driver is installed ({} names them); install your GPU's", place_of_drivers());
    return fmt::format("the OpenCL drivers of this system ({}) see no device; {}", names, kRemedies.no_device);
}

}  // namespace

std::string device_text(const Api& api, cl_device_id device, cl_device_info property) {
    return text_by([&](auto... rest) { return api.GetDeviceInfo(device, property, rest...); });
}

std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info property) {
    return text_by([&](auto... rest) { return api.GetPlatformInfo(platform, property, rest...); });
}

std::vector<ListedDevice> list_devices(const Api& api, std::vector<std::string>* silent) {
    std::vector<ListedDevice> listed;
    const std::vector<cl_platform_id> platforms = platforms_of(api);
    for (const cl_platform_id platform : platforms) {
        cl_uint count = 0;
        const cl_int status = api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
        if (status != CL_SUCCESS || count == 0) {
            if (silent != nullptr)
                silent->push_back(fmt::format("the OpenCL driver {} opens no device ({}); {}", name_of(api, platform),
                                              name_of_status(status), kRemedies.no_device));
            continue;
        }
        std::vector<cl_device_id> devices(count);
        if (api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS) continue;
        for (const cl_device_id device : devices) {
            const auto index = static_cast<unsigned>(listed.size());
            listed.push_back({platform, device, describe(api, platform, device, index)});
        }
    }
    if (listed.empty()) throw NoDeviceError(why_none(api, platforms));
    return listed;
}

}  // namespace gpuminer::opencl
