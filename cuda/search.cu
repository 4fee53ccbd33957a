// The kernel for one mix of verbs, GPUMINER_CUDA_MIX, and one form, GPUMINER_CUDA_ROLLED, compiled once for each under
// the name GPUMINER_CUDA_NAME. Its parameters are (FixedLaunch or RolledLaunch, FoundItem* items, word* count, word
// capacity); the rolled one takes kSharedBytesPerThread of shared memory for each thread of a block.
#include "cuda/launch.hpp"
#include "cuda/search.hpp"

namespace gpuminer::cuda {
namespace {

struct Report {
    FoundItem* items;
    word* count;
    word capacity;

    GPUMINER_DEVICE void operator()(word version_index, word nonce) const {
        // With an easy target as many as 2^35 would be counted: the count must not wrap.
        if (*static_cast<volatile word*>(count) > capacity) return;
        const word place = add_atomically(count, 1);
        if (place < capacity) items[place] = {version_index, nonce};
    }
};

}  // namespace

#if GPUMINER_CUDA_ROLLED
GPUMINER_SHARED Quad shared_memory[];

GPUMINER_KERNEL(kThreadsPerBlock, 1024 / kThreadsPerBlock)
GPUMINER_CUDA_NAME(GPUMINER_PARAMETERS RolledLaunch launch, FoundItem* items, word* count, word capacity) {
    const word warp = thread_in_block() / kThreadsPerWarp;
    const word lane = thread_in_block() % kThreadsPerWarp;
    Quad* const shared = &shared_memory[warp * (kSharedQuads * kThreadsPerWarp) + lane];
    RolledSearch<GPUMINER_CUDA_MIX>::run(launch, thread_of_launch(), shared, Report{items, count, capacity});
}
#else
GPUMINER_KERNEL(kThreadsPerBlock)
GPUMINER_CUDA_NAME(GPUMINER_PARAMETERS FixedLaunch launch, FoundItem* items, word* count, word capacity) {
    FixedSearch<GPUMINER_CUDA_MIX>::run(launch, thread_of_launch(), Report{items, count, capacity});
}
#endif

}  // namespace gpuminer::cuda
