// A CUDA launch on the CPU: the threads of all its blocks, one after the other.
#pragma once

#include <vector>

#include "cuda/search.hpp"

namespace gpuminer::test {

struct Quad {
    cuda::word x, y, z, w;
};

template <int kMix, class Found>
void run_threads(const cuda::FixedLaunch& launch, cuda::word threads, Found found) {
    for (cuda::word index = 0; index < threads; ++index) cuda::FixedSearch<kMix>::run(launch, index, found);
}

/// Each thread's shared memory holds what the one before it has left there.
template <int kMix, class Found>
void run_threads(const cuda::RolledLaunch& launch, cuda::word threads, Found found) {
    std::vector<Quad> shared(std::size_t{cuda::kSharedQuads} * cuda::kThreadsPerWarp);
    for (cuda::word index = 0; index < threads; ++index) {
        Quad* const own = &shared[index % cuda::kThreadsPerWarp];
        cuda::RolledSearch<kMix>::run(launch, index, own, found);
    }
}

}  // namespace gpuminer::test
