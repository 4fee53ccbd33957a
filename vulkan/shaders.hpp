// The compiled shaders, embedded in the program.
#pragma once

#include <cstdint>
#include <span>

#include "host/gpu/engine.hpp"

namespace gpuminer::vulkan {

/// SPIR-V 1.3 (Vulkan 1.1) of search_software.comp for a width above 1 (its mix is plain), else of search.comp.
/// Its entry point is "main", specialization constant 0 the work group's size.
[[nodiscard]] std::span<const std::uint32_t> shader(const gpu::KernelVariant& variant, bool rolled);

}  // namespace gpuminer::vulkan
