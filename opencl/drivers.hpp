// The installed OpenCL drivers, by the files that name them to the loader: before any of them is loaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpuminer::opencl {

/// Where loaders look, unless an environment variable says otherwise.
inline constexpr const char kVendors[] = "/etc/OpenCL/vendors";

/// Whether all drivers that the folder's .icd files name are PoCL, which computes on the CPU; there is at least one.
/// False where the environment names drivers, too (OCL_ICD_VENDORS, OCL_ICD_FILENAMES, OPENCL_VENDOR_PATH).
[[nodiscard]] bool only_software_drivers(const std::filesystem::path& vendors = kVendors);

/// A sentence on each driver that is installed and cannot be loaded: its .icd file, the reason, and the remedy. None
/// where the environment names drivers. It loads the others, as a loader does.
[[nodiscard]] std::vector<std::string> broken_drivers(const std::filesystem::path& vendors = kVendors);

}  // namespace gpuminer::opencl
