// The installed Vulkan drivers, by the files that name them to the loader: before any of them is loaded.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace gpuminer::vulkan {

/// Where loaders look by default.
[[nodiscard]] std::vector<std::filesystem::path> manifest_folders();

/// Whether no driver that the folders' .json files name can find a GPU: each is one of Mesa's, and those for real GPUs
/// have no device node (renderD128, …) in `nodes`. There is at least one. False where the environment names drivers,
/// too (VK_DRIVER_FILES, VK_ICD_FILENAMES, VK_ADD_DRIVER_FILES).
[[nodiscard]] bool only_software_drivers(std::span<const std::filesystem::path> folders,
                                         const std::filesystem::path& nodes = "/dev/dri");

}  // namespace gpuminer::vulkan
