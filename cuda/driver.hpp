// Facts about NVIDIA's driver, and the reason and remedy where CUDA cannot be used.
#pragma once

#include <string>
#include <string_view>

#include "cuda/loader.hpp"
#include "host/backend.h"

namespace gpuminer::cuda {

/// What decides why there is no device.
struct DriverFacts {
    bool driver_found = false;                                            ///< the driver's kCudaLibrary can be loaded
    bool driver_usable = false;                                           ///< and has the functions that are needed
    enum class Node { missing, forbidden, usable } node = Node::missing;  ///< Linux: /dev/nvidiactl
    bool wsl = false;             ///< Linux: WSL 2, which has /dev/dxg in its place
    std::string load_error = {};  ///< of a library that cannot be loaded; Linux: of one that is there
    bool hidden = false;          ///< CUDA_VISIBLE_DEVICES is set
    std::string error = {};       ///< what CUDA said; empty: it found no device
};

/// The facts of this machine, but for `error`.
[[nodiscard]] DriverFacts driver_facts();

/// Why there is no device and the remedy, as one plain clause.
[[nodiscard]] std::string why_no_device(const DriverFacts& facts);

/// The NVIDIA driver's own version ("580.65.06"); empty: not found, as always on Windows.
[[nodiscard]] std::string installed_version();
/// The same in the text of Linux' /proc/driver/nvidia/version.
[[nodiscard]] std::string driver_version_in(std::string_view text);

// Of devices; each throws DeviceError.
[[nodiscard]] DeviceNumber device_at(const Api& api, unsigned index);
/// 10 · major + minor
[[nodiscard]] unsigned capability_of(const Api& api, DeviceNumber device);
[[nodiscard]] int driver_version(const Api& api);
/// The year in which NVIDIA's drivers began to offer this version of CUDA; 0: unknown, later than this program.
[[nodiscard]] int year_of(int cuda_version);

/// For choose_code(): --cuda-code, or what CUDA_FORCE_PTX_JIT=1 asks of all programs.
[[nodiscard]] std::string wanted_code(const DeviceOptions& options);

}  // namespace gpuminer::cuda
