#include "vulkan/shaders.hpp"

#include <cstddef>

namespace gpuminer::vulkan {
namespace {

constexpr std::uint32_t kFixedPlain[] = {
#include "shaders/search_0_0.inc"
};
constexpr std::uint32_t kFixedAdds[] = {
#include "shaders/search_0_1.inc"
};
constexpr std::uint32_t kFixedAddsShifts[] = {
#include "shaders/search_0_2.inc"
};
constexpr std::uint32_t kFixedAddsShiftsRotations[] = {
#include "shaders/search_0_3.inc"
};
constexpr std::uint32_t kRolledPlain[] = {
#include "shaders/search_1_0.inc"
};
constexpr std::uint32_t kRolledAdds[] = {
#include "shaders/search_1_1.inc"
};
constexpr std::uint32_t kRolledAddsShifts[] = {
#include "shaders/search_1_2.inc"
};
constexpr std::uint32_t kRolledAddsShiftsRotations[] = {
#include "shaders/search_1_3.inc"
};
constexpr std::uint32_t kFixedSoftware[] = {
#include "shaders/search_software_0_0.inc"
};
constexpr std::uint32_t kRolledSoftware[] = {
#include "shaders/search_software_1_0.inc"
};

using Shader = std::span<const std::uint32_t>;
constexpr Shader kShaders[2][4] = {{kFixedPlain, kFixedAdds, kFixedAddsShifts, kFixedAddsShiftsRotations},
                                   {kRolledPlain, kRolledAdds, kRolledAddsShifts, kRolledAddsShiftsRotations}};
constexpr Shader kSoftwareShaders[2] = {kFixedSoftware, kRolledSoftware};

}  // namespace

std::span<const std::uint32_t> shader(const gpu::KernelVariant& variant, bool rolled) {
    if (variant.width > 1) return kSoftwareShaders[rolled];
    return kShaders[rolled][static_cast<std::size_t>(variant.mix)];
}

}  // namespace gpuminer::vulkan
