// Description of machine, system and program, for documents.
#pragma once

#include <string>

#include "bench/document/document.hpp"
#include "host/backend.h"

namespace gpuminer::bench {

/// Version, commit, compiler, flags, and the flags of the kernels: an object of strings.
[[nodiscard]] Json program_facts();

/// CPU (model, family, flags, microcode), governor, memory, system, cycle counter, scheduling, and how busy the machine
/// is with other things (watched for 0.2 s). What this system does not tell is null.
[[nodiscard]] Json machine_facts();

/// For Document::devices: what the driver says of a device.
[[nodiscard]] Json device_facts(const DeviceInfo& info);

}  // namespace gpuminer::bench
