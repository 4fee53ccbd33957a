// A fake libcuda.so.1: as many devices as a test wants, whose kernels run on the CPU, and each of whose functions can
// be made to fail.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuda/loader.hpp"

namespace gpuminer::test {

struct FakeDevice {
    std::string model = "Fake H200";
    unsigned char uuid[16] = {0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff, 0, 1, 2, 3, 4, 5, 6, 7};
    std::size_t memory_bytes = std::size_t{139} << 30;
    std::map<cuda::DeviceAttribute, int> attributes = {
        {cuda::kComputeCapabilityMajor, 9},
        {cuda::kComputeCapabilityMinor, 0},
        {cuda::kMultiprocessorCount, 132},
        {cuda::kClockRate, 1'980'000},
        {cuda::kPciBus, 0x1a},
    };
};

struct FakeDriver {
    std::vector<FakeDevice> devices;
    int version = 13000;
    std::map<std::string, cuda::Result> errors;  ///< of the functions named here: "cuMemAlloc"
    std::string compiler_says;                   ///< when cuModuleLoadDataEx() fails
    int alive = 0;                               ///< things made and not yet destroyed
    std::vector<std::string> loaded;             ///< modules: "PTX fixed_3", "machine code rolled_0"
    std::vector<std::string> launches;           ///< "fixed_3, 4 blocks of 256, 0 bytes"
};

/// The one that the fake functions use. At first it has what the environment says, for programs that know nothing of
/// it: FAKE_CUDA_VERSION (12040), and one device of FAKE_CUDA_CAPABILITY (61).
FakeDriver& fake_driver();

}  // namespace gpuminer::test
