// The CPU backend for VerusHash: one device per hardware thread.
#pragma once

#include "host/backend.h"

namespace gpuminer {

extern const Backend kVerusHashCpuBackend;

}  // namespace gpuminer
