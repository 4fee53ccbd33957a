// OpenCL devices and their properties.
#pragma once

#include <string>
#include <vector>

#include "host/backend.h"
#include "opencl/loader.hpp"

namespace gpuminer::opencl {

struct ListedDevice {
    cl_platform_id platform = nullptr;
    cl_device_id id = nullptr;
    Probe probe;
};

/// Every device of every driver, in the drivers' order; drivers that fail are passed over. Throws NoDeviceError where
/// there is none: why, and the remedy. `silent` gets a sentence on each driver that opens no device.
[[nodiscard]] std::vector<ListedDevice> list_devices(const Api& api, std::vector<std::string>* silent = nullptr);

/// A property of a device; `fallback` where the driver does not know it.
template <class T>
[[nodiscard]] T device_value(const Api& api, cl_device_id device, cl_device_info property, T fallback = {}) {
    T value{};
    return api.GetDeviceInfo(device, property, sizeof value, &value, nullptr) == CL_SUCCESS ? value : fallback;
}
/// The same as text, without white space round it; empty where the driver does not know it.
[[nodiscard]] std::string device_text(const Api& api, cl_device_id device, cl_device_info property);
[[nodiscard]] std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info property);

}  // namespace gpuminer::opencl
