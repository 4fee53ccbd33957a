#include "cuda/probe.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "cuda/driver.hpp"
#include "host/gpu/engine.hpp"
#include "host/gpu/identity.hpp"

namespace gpuminer::cuda {
namespace {

/// 0 where the device does not say.
int attribute(cudaDeviceAttr name, int device) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, device) == cudaSuccess ? value : 0;
}

std::string driver_name() {
    std::ifstream file("/proc/driver/nvidia/version");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string version = driver_version_in(text);
    return version.empty() ? "NVIDIA" : "NVIDIA " + version;
}

Probe unusable(std::string reason) {
    Probe probe;
    probe.info.name = "cuda";
    probe.info.backend = "cuda";
    probe.usable = false;
    probe.reason = std::move(reason);
    return probe;
}

Probe probe_device(int device, const std::string& driver, int cuda_version) {
    Probe probe;
    probe.index = static_cast<unsigned>(device);
    DeviceInfo& info = probe.info;
    info.backend = "cuda";
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess) {
        info.name = device_name(info.backend, "unknown", probe.index);
        probe.usable = false;
        probe.reason = fmt::format(
            "it does not answer ({}); see whether nvidia-smi shows it, and if not, restart the "
            "machine",
            cudaGetErrorString(error));
        return probe;
    }
    const auto capability = static_cast<unsigned>(10 * properties.major + properties.minor);
    info.kind = fmt::format("sm_{}", capability);
    info.name = device_name(info.backend, info.kind, probe.index);
    info.model = properties.name;
    info.driver = driver;
    info.api_version = "CUDA " + version_text(cuda_version);
    info.memory_bytes = properties.totalGlobalMem;
    info.units = static_cast<unsigned>(properties.multiProcessorCount);
    info.description = "one nonce per thread";
    info.clock_mhz = static_cast<unsigned>(attribute(cudaDevAttrClockRate, device)) / 1000;
    info.pci = gpu::pci_text({.domain = static_cast<unsigned>(properties.pciDomainID),
                              .bus = static_cast<unsigned>(properties.pciBusID),
                              .device = static_cast<unsigned>(properties.pciDeviceID)});
    info.uuid = gpu::uuid_text(std::as_bytes(std::span(properties.uuid.bytes)));
    if (!has_code_for(capability, GPUMINER_CUDA_BUILT_FOR)) {
        probe.usable = false;
        probe.reason = fmt::format(
            "this build has no code for compute capability {}.{}; build it with "
            "GPUMINER_CUDA_ARCHITECTURES={}, or use the opencl backend",
            properties.major, properties.minor, capability);
    } else if (attribute(cudaDevAttrComputeMode, device) == cudaComputeModeProhibited) {
        probe.usable = false;
        probe.reason =
            fmt::format("its compute mode is \"prohibited\"; nvidia-smi -i {} -c DEFAULT allows it", info.pci);
    }
    probe.tuned_rate = probe.usable ? gpu::remembered_rate(info) : 0;
    return probe;
}

}  // namespace

std::vector<Probe> probe_devices() {
    DriverFacts facts = driver_facts();
    int count = 0;
    // Without the driver's library there is nothing to ask, and CUDA's answer would say less.
    const cudaError_t error = facts.driver_found ? cudaGetDeviceCount(&count) : cudaErrorInsufficientDriver;
    if (error != cudaSuccess || count == 0) {
        if (error != cudaSuccess && error != cudaErrorNoDevice) facts.error = cudaGetErrorString(error);
        return {unusable(why_no_device(facts))};
    }
    const std::string driver = driver_name();
    std::vector<Probe> probes;
    for (int device = 0; device < count; ++device) probes.push_back(probe_device(device, driver, facts.driver_version));
    return probes;
}

}  // namespace gpuminer::cuda
