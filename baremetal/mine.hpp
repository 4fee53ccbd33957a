// A run: everything between the configuration and the end.
#pragma once

#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"
#include "baremetal/volume.hpp"

namespace gpuminer::baremetal {

/// Searches, and says what came of it, or what was wrong. False: a processor may still run, so that only a restart or a
/// shutdown can follow.
[[nodiscard]] bool mine(const Firmware& firmware, const Console& console, const Volume& volume, const Config& config);

}  // namespace gpuminer::baremetal
