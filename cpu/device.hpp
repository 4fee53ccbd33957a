// The CPU device: one worker thread.
#pragma once

#include <memory>

#include "cpu/isa.hpp"
#include "host/backend.h"

namespace gpuminer::cpu {

/// `hardware_thread`: operating-system number, to which attach_thread() binds the caller.
[[nodiscard]] std::unique_ptr<Device> make_device(const Isa& isa, DeviceInfo info, unsigned hardware_thread,
                                                  const DeviceOptions& options);

}  // namespace gpuminer::cpu
