// The CUDA backend: one device per NVIDIA GPU.
#pragma once

#include "host/backend.h"

namespace gpuminer {

extern const Backend kCudaBackend;

}  // namespace gpuminer
