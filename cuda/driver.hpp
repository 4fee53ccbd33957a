// Facts about NVIDIA's driver, and the reason and remedy where CUDA cannot be used.
#pragma once

#include <string>
#include <string_view>

namespace gpuminer::cuda {

/// What decides why there is no device. Versions as CUDA states them: 1000 · major + 10 · minor; 0: none.
struct DriverFacts {
    bool driver_found = false;                                            ///< the driver's libcuda.so.1 can be loaded
    int driver_version = 0;                                               ///< of CUDA, as the driver offers it
    int runtime_version = 0;                                              ///< of CUDA, as this program was built with
    enum class Node { missing, forbidden, usable } node = Node::missing;  ///< /dev/nvidiactl
    bool hidden = false;                                                  ///< CUDA_VISIBLE_DEVICES is set
    std::string error = {};                                               ///< what CUDA said; empty: it found no device
};

/// The facts of this machine, but for `error`.
[[nodiscard]] DriverFacts driver_facts();

/// Why there is no device and the remedy, as one plain clause.
[[nodiscard]] std::string why_no_device(const DriverFacts& facts);

/// "13.0" of 13000.
[[nodiscard]] std::string version_text(int version);

/// The NVIDIA driver's own version ("580.65.06") in the text of /proc/driver/nvidia/version; empty: not found.
[[nodiscard]] std::string driver_version_in(std::string_view text);

/// Whether a program built for `architectures` (CMAKE_CUDA_ARCHITECTURES, with spaces: "80-real 75-virtual") has code
/// for a device of compute capability 10 · major + minor: binary code of the same major and no higher minor version, or
/// PTX of no higher one.
[[nodiscard]] bool has_code_for(unsigned capability, std::string_view architectures);

}  // namespace gpuminer::cuda
