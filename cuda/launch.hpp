// The interface between host and kernels: parameters, results, entry points. Neither CUDA's headers nor C++20, which
// older nvcc lack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device.hpp"
#include "host/gpu/launch_words.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer::cuda {

/// Threads of a block at most; any multiple of a warp up to it will do.
inline constexpr unsigned kThreadsPerBlock = 512;
inline constexpr unsigned kThreadsPerWarp = 32;

/// A table's size rounded up to 16 bytes, so that four words can be loaded at once.
template <std::size_t kWords>
inline constexpr std::size_t kPadded = (kWords + 3) / 4 * 4;

/// Kernel parameters lie in constant memory, 4 KB at most. Versions beyond these take another launch.
inline constexpr word kVersionsPerLaunch = 32;

/// One header.
struct FixedLaunch {
    gpu::LaunchWords words;
    alignas(16) word job[kPadded<kFixedJobWords>];
};

/// Several versions of one.
struct RolledLaunch {
    gpu::LaunchWords words;  ///< 1 … kVersionsPerLaunch versions
    word first_version;      ///< index of the first of them in the Sha256dJob
    alignas(16) word job[kPadded<kRolledJobWords>];
    alignas(16) word version[kVersionsPerLaunch][kPadded<kRolledVersionWords>];
};
static_assert(sizeof(RolledLaunch) <= 4096 - 64, "the parameters of a kernel take 4 KB at most");

struct FoundItem {
    word version_index;
    word nonce;
};

/// Candidates as kernels write them: those beyond the capacity are only counted, and not all of them.
template <std::size_t kCapacity>
struct FoundItems {
    word count;
    FoundItem items[kCapacity];
};

/// The nonce's message schedule, which a thread needs for every version of a rolled search: half of it lies in shared
/// memory, four words at a time, those of the 32 threads of a warp side by side; the other half in registers. So 1,024
/// threads fit a multiprocessor's 64 K registers and, with 100 KB of it or more, its shared memory. All of it in shared
/// memory leaves 512 threads on GPUs that have no more than 100 KB; all in registers, 768.
inline constexpr unsigned kSharedQuads = 6;
inline constexpr unsigned kSharedBytesPerThread = kSharedQuads * 16;
inline constexpr unsigned kRegisterWords = unsigned{kRolledSharedWords} - 4 * kSharedQuads;

}  // namespace gpuminer::cuda
