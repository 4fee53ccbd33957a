// The installed OpenCL drivers, by the files that name them to the loader: before any of them is loaded. On Windows,
// whose registry names them, and no file that others may write, nothing is known of them here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpuminer::opencl {

/// What to do where something is missing, as clauses.
struct Remedies {
    const char* no_loader;
    const char* old_loader;
    const char* no_device;    ///< of a driver
    const char* unavailable;  ///< is a device
};
extern const Remedies kRemedies;

/// Where loaders look, unless an environment variable says otherwise.
inline constexpr const char kVendors[] = "/etc/OpenCL/vendors";

/// Whether all drivers that the folder's .icd files name are PoCL, which computes on the CPU; there is at least one.
/// False where the environment names drivers, too (OCL_ICD_VENDORS, OCL_ICD_FILENAMES, OPENCL_VENDOR_PATH).
[[nodiscard]] bool only_software_drivers(const std::filesystem::path& vendors = kVendors);

/// What names the drivers, for messages: the folder, or "OCL_ICD_VENDORS=/x" where the environment has another.
[[nodiscard]] std::string place_of_drivers(const std::filesystem::path& vendors = kVendors);

/// A sentence on each driver that is named and cannot be loaded: its .icd file or variable, the reason, and the remedy.
/// Those that the environment names stand in for the folder's. It loads the others, as a loader does.
[[nodiscard]] std::vector<std::string> broken_drivers(const std::filesystem::path& vendors = kVendors);

/// The others: the .icd file or variable of each. Intel's offers the loader nothing where it may not open the GPU.
[[nodiscard]] std::vector<std::string> loadable_drivers(const std::filesystem::path& vendors = kVendors);

}  // namespace gpuminer::opencl
