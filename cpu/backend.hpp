// The CPU backend: one device per hardware thread.
#pragma once

#include "host/backend.h"

namespace gpuminer {

extern const Backend kCpuBackend;

}  // namespace gpuminer
