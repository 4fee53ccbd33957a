#include "vulkan/drivers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "host/system/access.hpp"
#include "host/system/folders.hpp"

namespace gpuminer::vulkan {
namespace {

namespace fs = std::filesystem;

/// Whether the folder has a file with such a name; false where it cannot be read.
template <class Wanted>
bool any_file(const fs::path& folder, Wanted wanted) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (wanted(entry->path().filename().string())) return true;
    }
    return false;
}

bool is_manifest(const std::string& name) { return name.ends_with(".json"); }

/// lavapipe, and those that reach their GPU through a render node.
bool is_mesa(const std::string& name) {
    constexpr std::array<std::string_view, 12> kDrivers = {"lvp",      "radeon", "intel",     "intel_hasvk",
                                                           "nouveau",  "virtio", "broadcom",  "freedreno",
                                                           "panfrost", "asahi",  "gfxstream", "powervr_mesa"};
    return std::ranges::find(kDrivers, std::string_view(name).substr(0, name.find("_icd"))) != kDrivers.end();
}

}  // namespace

const Remedies kRemedies{
    .no_loader = "install it (Debian and Ubuntu: libvulkan1) and the GPU's driver",
    .no_driver = "install the GPU's (NVIDIA's own, or mesa-vulkan-drivers for AMD and Intel)",
};

std::vector<fs::path> manifest_folders() {
    std::vector<fs::path> folders;
    for (const char* const base : {"/etc", "/usr/local/etc", "/usr/share", "/usr/local/share"})
        folders.push_back(fs::path(base) / "vulkan/icd.d");
    if (const auto home = home_folder()) {
        for (const char* const base : {".local/share", ".config"}) folders.push_back(*home / base / "vulkan/icd.d");
    }
    return folders;
}

bool only_software_drivers(std::span<const fs::path> folders, const fs::path& nodes) {
    constexpr std::array kVariables = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"};
    if (std::ranges::any_of(kVariables, [](const char* name) { return std::getenv(name) != nullptr; })) return false;
    if (any_file(nodes, [](const std::string& name) { return name.starts_with("renderD"); })) return false;
    const auto unknown = [](const std::string& name) { return is_manifest(name) && !is_mesa(name); };
    return std::ranges::any_of(folders, [](const fs::path& folder) { return any_file(folder, is_manifest); }) &&
           std::ranges::none_of(folders, [&](const fs::path& folder) { return any_file(folder, unknown); });
}

std::optional<std::filesystem::path> forbidden_node(const std::filesystem::path& folder) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        const bool render_node = entry.path().filename().string().starts_with("renderD");
        if (render_node && access_error(entry.path(), FileAccess::kReadAndWrite)) return entry.path();
    }
    return std::nullopt;
}

}  // namespace gpuminer::vulkan
