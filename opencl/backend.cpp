#include "opencl/backend.hpp"

#include "opencl/drivers.hpp"
#include "opencl/engine.hpp"
#include "opencl/probe.hpp"

namespace gpuminer {
namespace {

Probe unusable(const std::string& reason) {
    Probe none;
    none.info.name = none.info.backend = kOpenclBackend.name;
    none.usable = false;
    none.reason = reason;
    return none;
}

std::vector<Probe> probe(const DeviceOptions& options) {
    std::vector<Probe> probes;
    std::vector<std::string> silent, broken;  // drivers that open no device, and such that cannot be loaded
    std::string none;
    try {
        // PoCL, once loaded, keeps 60 MB of memory, 13 of them its own.
        if (!options.software && opencl::only_software_drivers())
            throw NoDeviceError("the only OpenCL driver runs on the CPU; --backend opencl uses it");
        const opencl::Api& api = opencl::system_api();
        broken = opencl::broken_drivers();
        for (opencl::ListedDevice& device : opencl::list_devices(api, &silent))
            probes.push_back(std::move(device.probe));
        for (const std::string& reason : silent) probes.push_back(unusable(reason));
    } catch (const NoDeviceError& error) {
        const bool only_broken = !broken.empty() && silent.empty() && opencl::loadable_drivers().empty();
        if (!only_broken) none = error.what();
    }
    if (!none.empty()) probes.push_back(unusable(none));
    for (const std::string& reason : broken) probes.push_back(unusable(reason));
    return probes;
}

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions& options) {
    const opencl::Api& api = opencl::system_api();
    for (opencl::ListedDevice& device : opencl::list_devices(api)) {
        if (device.probe.info.name == probe.info.name)
            return gpu::make_gpu_device(opencl::make_engine(api, std::move(device)), options);
    }
    throw DeviceError("there is no OpenCL device " + probe.info.name + " any more");
}

}  // namespace

const Backend kOpenclBackend{"opencl", probe, open};

}  // namespace gpuminer
