#include "cuda/backend.hpp"

#include "cuda/engine.hpp"
#include "cuda/probe.hpp"

namespace gpuminer {

const Backend kCudaBackend{
    .name = "cuda",
    .probe = cuda::probe_devices,
    .open =
        [](const Probe& probe, const DeviceOptions& options) {
            return gpu::make_gpu_device(cuda::make_engine(probe, options), options);
        },
};

}  // namespace gpuminer
