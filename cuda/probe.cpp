#include "cuda/probe.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "cuda/code.hpp"
#include "cuda/driver.hpp"
#include "host/gpu/engine.hpp"
#include "host/gpu/identity.hpp"

namespace gpuminer::cuda {
namespace {

/// "NVIDIA 535.183.01 (of 2023)"
std::string driver_name(int cuda_version) {
    const std::string version = installed_version();
    const int year = year_of(cuda_version);
    return (version.empty() ? "NVIDIA" : "NVIDIA " + version) + (year == 0 ? "" : fmt::format(" (of {})", year));
}

Probe unusable(std::string reason) {
    Probe probe;
    probe.info.name = "cuda";
    probe.info.backend = "cuda";
    probe.usable = false;
    probe.reason = std::move(reason);
    return probe;
}

/// One device that is there, as its driver describes it. Throws DeviceError.
class Description {
public:
    Description(const Api& api, unsigned index) : api_(api), device_(device_at(api, index)) {}

    [[nodiscard]] unsigned capability() const { return capability_of(api_, device_); }
    /// 0 where the device does not say.
    [[nodiscard]] unsigned attribute(DeviceAttribute name) const {
        int value = 0;
        return api_.DeviceGetAttribute(&value, name, device_) == kSuccess ? static_cast<unsigned>(value) : 0;
    }
    [[nodiscard]] std::string model() const {
        char name[256] = "";
        check(api_, api_.DeviceGetName(name, sizeof name, device_), "asking for its name");
        return name;
    }
    [[nodiscard]] std::uint64_t memory_bytes() const {
        std::size_t bytes = 0;
        return api_.DeviceTotalMem(&bytes, device_) == kSuccess ? bytes : 0;
    }
    [[nodiscard]] std::string pci() const {
        return gpu::pci_text(
            {.domain = attribute(kPciDomain), .bus = attribute(kPciBus), .device = attribute(kPciDevice)});
    }
    [[nodiscard]] std::string uuid() const {
        Uuid uuid{};
        if (api_.DeviceGetUuid(&uuid, device_) != kSuccess) return "";
        return gpu::uuid_text(std::as_bytes(std::span(uuid.bytes)));
    }

private:
    const Api& api_;
    const DeviceNumber device_;
};

void describe(Probe& probe, const Api& api, const DeviceOptions& options) {
    const Description device(api, probe.index);
    const unsigned capability = device.capability();
    const int version = driver_version(api);
    DeviceInfo& info = probe.info;
    info.kind = fmt::format("sm_{}", capability);
    info.name = device_name(info.backend, info.kind, probe.index);
    info.model = device.model();
    info.api_version = "CUDA " + version_text(version);
    info.memory_bytes = device.memory_bytes();
    info.units = device.attribute(kMultiprocessorCount);
    info.clock_mhz = device.attribute(kClockRate) / 1000;
    info.pci = device.pci();
    info.uuid = device.uuid();
    const CodeChoice code = choose_code(built_code(), capability, version, wanted_code(options));
    if (!code.kind) {
        probe.usable = false;
        probe.reason = code.text + "; or use the opencl backend";
        return;
    }
    info.code = code.text;
    info.description = *code.kind == CodeKind::kMachine ? "machine code" : "PTX";
    if (device.attribute(kComputeMode) == kComputeModeProhibited) {
        probe.usable = false;
        probe.reason =
            fmt::format("its compute mode is \"prohibited\"; nvidia-smi -i {} -c DEFAULT allows it", info.pci);
    }
}

Probe probe_device(const Api& api, unsigned index, const std::string& driver, const DeviceOptions& options) {
    Probe probe;
    probe.index = index;
    probe.info.backend = "cuda";
    probe.info.name = device_name(probe.info.backend, "unknown", index);
    probe.info.driver = driver;
    try {
        describe(probe, api, options);
    } catch (const DeviceError& error) {
        probe.usable = false;
        probe.reason = fmt::format(
            "it does not respond ({}); if nvidia-smi does not show it either, restart the machine", error.what());
    }
    probe.tuned_rate = probe.usable ? gpu::remembered_rate(probe.info) : 0;
    return probe;
}

}  // namespace

std::vector<Probe> probe_devices(const DeviceOptions& options) {
    DriverFacts facts = driver_facts();
    const Api* const api = system_api();
    if (api == nullptr) return {unusable(why_no_device(facts))};
    int count = 0;
    Result result = api->Init(0);
    if (result == kSuccess) result = api->DeviceGetCount(&count);
    if (result != kSuccess || count == 0) {
        if (result != kSuccess && result != kNoDevice) facts.error = words_of(*api, result);
        return {unusable(why_no_device(facts))};
    }
    int version = 0;
    (void)api->DriverGetVersion(&version);  // each device's probe says what is wrong with it
    const std::string driver = driver_name(version);
    std::vector<Probe> probes;
    for (int index = 0; index < count; ++index)
        probes.push_back(probe_device(*api, static_cast<unsigned>(index), driver, options));
    return probes;
}

}  // namespace gpuminer::cuda
