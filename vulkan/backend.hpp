// The Vulkan backend: one device per physical device of the installed drivers.
#pragma once

#include "host/backend.h"

namespace gpuminer {

extern const Backend kVulkanBackend;

}  // namespace gpuminer
