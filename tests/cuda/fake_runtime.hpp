// A fake CUDA runtime library: as many devices as a test wants, whose kernels run on the CPU, and each of
// whose functions can be made to fail.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <string>
#include <vector>

namespace gpuminer::test {

struct FakeDevice {
    cudaDeviceProp properties{};
    int compute_mode = cudaComputeModeDefault;
    int clock_khz = 1'980'000;
};

struct FakeRuntime {
    std::vector<FakeDevice> devices;
    int driver_version = CUDART_VERSION;
    std::map<std::string, cudaError_t> errors;  ///< of the functions named here
    int alive = 0;                              ///< things made and not yet destroyed
    std::vector<std::string> launches;          ///< "fixed mix 3, 4 blocks of 256, 0 bytes"
};

/// The one that the fake functions use.
FakeRuntime& fake_runtime();

}  // namespace gpuminer::test
