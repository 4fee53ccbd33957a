// What the shaders read and write, as vulkan/prelude.glsl declares it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/scan_job.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer::vulkan {

/// Versions of one launch; a job with more takes several. With them the block fits into the 16 KiB that a uniform
/// buffer has at least, and stays small.
inline constexpr std::size_t kVersionsPerLaunch = 64;

/// Nonces per invocation of search_software.comp.
inline constexpr unsigned kSoftwareWidth = 32;

/// Layout std140: arrays are of four-word vectors, so each ends on a multiple of four words.
struct LaunchBlock {
    std::uint32_t first_nonce;
    std::uint32_t count;
    std::uint32_t sieve_mask;
    std::uint32_t target_top;
    std::uint32_t versions;
    std::uint32_t one;
    std::uint32_t padding[2];
    std::uint32_t powers[32];
    std::uint32_t job_words[28];
    std::uint32_t version_words[kVersionsPerLaunch][20];
};
static_assert(offsetof(LaunchBlock, powers) % 16 == 0 && offsetof(LaunchBlock, job_words) % 16 == 0 &&
              offsetof(LaunchBlock, version_words) % 16 == 0);
static_assert(sizeof(LaunchBlock::job_words) / 4 >= kFixedJobWords &&
              sizeof(LaunchBlock::job_words) / 4 >= kRolledJobWords &&
              sizeof(LaunchBlock::version_words[0]) / 4 >= kRolledVersionWords);
static_assert(sizeof(LaunchBlock) <= 16384);
static_assert(kRolledSharedWords == 46, "the size of `schedule` in both shaders");

struct Results {
    std::uint32_t found;  ///< counts on beyond the capacity, but not far
    std::uint32_t padding;
    struct {
        std::uint32_t version_index;  ///< within the launch
        std::uint32_t nonce;
    } candidates[Candidates::kCapacity];
};

}  // namespace gpuminer::vulkan
