// Helpers of the OpenCL backend's tests.
#pragma once

#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opencl/engine.hpp"
#include "opencl/loader.hpp"
#include "opencl/probe.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

namespace gpuminer::test {

/// The usable devices of this machine; if there is none, a line that says why.
inline std::vector<opencl::ListedDevice> devices_here() {
    std::vector<opencl::ListedDevice> usable;
    std::string reasons;
    try {
        for (const opencl::ListedDevice& device : opencl::list_devices(opencl::system_api())) {
            if (device.probe.usable) usable.push_back(device);
            reasons += device.probe.info.name + ": " + device.probe.reason + "; ";
        }
    } catch (const NoDeviceError& error) {
        reasons = error.what();
    }
    if (usable.empty()) std::cout << "SKIPPED OpenCL: " << reasons << std::endl;
    return usable;
}

/// Whether there is an OpenCL loader; if not, a line that says why.
inline bool has_loader() {
    try {
        (void)opencl::load_api();
        return true;
    } catch (const NoDeviceError& error) {
        std::cout << "SKIPPED: " << error.what() << std::endl;
        return false;
    }
}

/// What a driver's clGet…Info() does with a property's bytes.
inline cl_int give(const std::string& value, std::size_t room, void* place, std::size_t* size) {
    if (size != nullptr) *size = value.size();
    if (place != nullptr && room < value.size()) return CL_INVALID_VALUE;
    if (place != nullptr) std::memcpy(place, value.data(), value.size());
    return CL_SUCCESS;
}

/// The same with a number, or with several (a device without the property has none).
template <class Number>
cl_int give(const Number& value, std::size_t room, void* place, std::size_t* size) {
    return give(std::string(reinterpret_cast<const char*>(&value), sizeof value), room, place, size);
}
template <class Number>
cl_int give(const std::vector<Number>& values, std::size_t room, void* place, std::size_t* size) {
    if (values.empty()) return CL_INVALID_VALUE;
    return give(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)), room, place,
                size);
}

/// What a function throws, as text.
template <class Error, class Function>
std::string error_of(Function function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace gpuminer::test
