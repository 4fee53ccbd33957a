// The end: results stay on the screen for a while, and then the machine does what the configuration says.
#pragma once

#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"

namespace gpuminer::baremetal {

/// Returns only for AtEnd::kFirmware.
void end(const Firmware& firmware, const Console& console, const Config& config);

}  // namespace gpuminer::baremetal
