// A run: everything between the configuration and the end.
#pragma once

#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"
#include "baremetal/volume.hpp"

namespace gpuminer::baremetal {

/// Searches, and says what came of it, or what was wrong. Does not return where a processor may still run: the machine
/// then restarts or is switched off.
void mine(const Firmware& firmware, const Console& console, const Volume& volume, const Config& config);

}  // namespace gpuminer::baremetal
