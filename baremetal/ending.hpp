// The end of a run: a pause in which the results can be read, then the end that the configuration asks for.
#pragma once

#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"

namespace gpuminer::baremetal {

/// Returns only for AtEnd::kFirmware.
void end(const Firmware& firmware, const Console& console, const Config& config);

}  // namespace gpuminer::baremetal
