#include "opencl/backend.hpp"

#include "opencl/drivers.hpp"
#include "opencl/engine.hpp"
#include "opencl/probe.hpp"

namespace gpuminer {
namespace {

std::vector<Probe> probe(const DeviceOptions& options) {
    std::vector<Probe> probes;
    try {
        // PoCL, once loaded, keeps 60 MB of memory, 13 of them its own.
        if (!options.software && opencl::only_software_drivers())
            throw NoDeviceError("the only OpenCL driver runs on the CPU; --backend opencl uses it");
        for (opencl::ListedDevice& device : opencl::list_devices(opencl::system_api()))
            probes.push_back(std::move(device.probe));
    } catch (const NoDeviceError& error) {
        Probe none;
        none.info.name = none.info.backend = kOpenclBackend.name;
        none.usable = false;
        none.reason = error.what();
        probes.push_back(std::move(none));
    }
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
