// The kernels for one mix of verbs, GPUMINER_CUDA_MIX: CMake compiles this file once for each.
#include "cuda/launch.hpp"
#include "cuda/search.hpp"

namespace gpuminer::cuda {
namespace {

struct Report {
    FoundItem* items;
    word* count;
    word capacity;

    __device__ void operator()(word version_index, word nonce) const {
        // With an easy target as many as 2^35 would be counted: the count must not wrap.
        if (*static_cast<volatile word*>(count) > capacity) return;
        const word place = atomicAdd(count, 1u);
        if (place < capacity) items[place] = {version_index, nonce};
    }
};

__device__ word thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void __launch_bounds__(kThreadsPerBlock)
    fixed(const __grid_constant__ FixedLaunch launch, FoundItem* items, word* count, word capacity) {
    FixedSearch<GPUMINER_CUDA_MIX>::run(launch, thread_index(), Report{items, count, capacity});
}

__global__ void __launch_bounds__(kThreadsPerBlock, 1024 / kThreadsPerBlock)
    rolled(const __grid_constant__ RolledLaunch launch, FoundItem* items, word* count, word capacity) {
    extern __shared__ uint4 shared_memory[];
    const word warp = threadIdx.x / kThreadsPerWarp;
    const word lane = threadIdx.x % kThreadsPerWarp;
    uint4* const shared = &shared_memory[warp * (kSharedQuads * kThreadsPerWarp) + lane];
    RolledSearch<GPUMINER_CUDA_MIX>::run(launch, thread_index(), shared, Report{items, count, capacity});
}

}  // namespace

template <>
Kernels kernels<GPUMINER_CUDA_MIX>() {
    return {reinterpret_cast<const void*>(fixed), reinterpret_cast<const void*>(rolled)};
}

}  // namespace gpuminer::cuda
