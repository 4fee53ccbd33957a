// The CPU device: one worker thread.
#pragma once

#include <memory>
#include <vector>

#include "cpu/isa.hpp"
#include "host/backend.h"

namespace gpuminer::cpu {

/// Runs `form`, and whichever of `others` turns out to be faster on its work. `hardware_thread`: operating-system
/// number, to which attach_thread() binds the caller.
[[nodiscard]] std::unique_ptr<Device> make_device(const Isa& form, DeviceInfo info, unsigned hardware_thread,
                                                  const DeviceOptions& options, std::vector<const Isa*> others = {});

}  // namespace gpuminer::cpu
