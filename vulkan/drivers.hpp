// The installed Vulkan drivers, by the files that name them to the loader: before any of them is loaded. On Windows,
// whose registry names them, nothing is known of them here.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace gpuminer::vulkan {

/// What to do where something is missing, as clauses.
struct Remedies {
    const char* no_loader;
    const char* no_driver;
};
extern const Remedies kRemedies;

/// Where loaders look by default.
[[nodiscard]] std::vector<std::filesystem::path> manifest_folders();

/// Whether no driver that the folders' .json files name can find a GPU: each is one of Mesa's, and those for real GPUs
/// have no device node (renderD128, …) in `nodes`. There is at least one. False where the environment names drivers,
/// too (VK_DRIVER_FILES, VK_ICD_FILENAMES, VK_ADD_DRIVER_FILES).
[[nodiscard]] bool only_software_drivers(std::span<const std::filesystem::path> folders,
                                         const std::filesystem::path& nodes = "/dev/dri");

/// A GPU's device node that is there but that this user may not open (then the drivers do not show the GPU).
[[nodiscard]] std::optional<std::filesystem::path> forbidden_node(const std::filesystem::path& folder = "/dev/dri");

}  // namespace gpuminer::vulkan
