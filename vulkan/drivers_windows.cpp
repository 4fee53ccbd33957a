#include "vulkan/drivers.hpp"

namespace gpuminer::vulkan {

const Remedies kRemedies{
    .no_loader = "install the GPU's driver, which brings it",
    .no_driver = "install the GPU's",
};

std::vector<std::filesystem::path> manifest_folders() { return {}; }

bool only_software_drivers(std::span<const std::filesystem::path> /*folders*/, const std::filesystem::path& /*nodes*/) {
    return false;
}

std::optional<std::filesystem::path> forbidden_node(const std::filesystem::path& /*folder*/) { return std::nullopt; }

}  // namespace gpuminer::vulkan
