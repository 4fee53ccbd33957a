// Where the host finds the kernels.
#pragma once

#include "cuda/launch.hpp"

namespace gpuminer::cuda {

/// Entry points for cudaLaunchKernel(), whose parameters are (FixedLaunch or RolledLaunch, FoundItem* items,
/// word* count, word capacity). The rolled one takes kSharedBytesPerThread of shared memory for each thread of a block.
struct Kernels {
    const void* fixed;
    const void* rolled;
};

/// `kMix`: gpu::Mix as a number.
template <int kMix>
Kernels kernels();
template <>
Kernels kernels<0>();
template <>
Kernels kernels<1>();
template <>
Kernels kernels<2>();
template <>
Kernels kernels<3>();

}  // namespace gpuminer::cuda
