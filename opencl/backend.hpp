// The OpenCL backend: GPUs, and CPUs too, through the OpenCL drivers of the system.
#pragma once

#include "host/backend.h"

namespace gpuminer {

/// The loader is opened at run time.
extern const Backend kOpenclBackend;

}  // namespace gpuminer
