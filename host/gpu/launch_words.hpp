// The parameter words of the GPU kernels. Plain data: neither the host's headers nor C++20, which older nvcc lack.
#pragma once

#include <cstdint>

namespace gpuminer::gpu {

/// What a kernel is given beside the job's tables, the same for every API. opencl/prelude.cl and vulkan/prelude.glsl
/// declare it for their languages. (The array comes first because the latter's layout, std140, aligns it to 16 bytes.)
struct LaunchWords {
    std::uint32_t powers[32] = {};  ///< powers[n] = 2^(32-n) for n of 1 … 31 (x·powers[n] holds x >> n in its
                                    ///< high half, and its halves add up to rotr(x, n)); powers[0] is not used
    std::uint32_t first_nonce = 0;
    std::uint32_t count = 0;       ///< nonces; work items beyond them return at once
    std::uint32_t sieve_mask = 0;  ///< a candidate's h7 has none of these bits; then
    std::uint32_t target_top = 0;  ///< passes_top_word(h7, target_top) decides
    std::uint32_t versions = 0;    ///< of this launch
    std::uint32_t one = 1;         ///< opaque to the compiler
    std::uint32_t other_one = 1;   ///< too; for sums with a word that is the same for every nonce
};
static_assert(sizeof(LaunchWords) == 39 * sizeof(std::uint32_t),
              "as opencl/prelude.cl and vulkan/prelude.glsl have it");

}  // namespace gpuminer::gpu
