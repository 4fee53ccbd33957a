#pragma once

#include "host/backend.h"

namespace gpuminer {

/// GPUs, and CPUs too, through the OpenCL drivers of the system; its loader is opened at run time.
extern const Backend kOpenclBackend;

}  // namespace gpuminer
