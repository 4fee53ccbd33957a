// The search in OpenCL C 1.2: the kernel round the printed program. The driver compiles this text for each device and
// variant.
#include "prelude.cl"

/// Those of the programs, each named for its value.
struct ConstantWords {
#define CONSTANT(value) uint k_##value;
#include "search_program/gpu_constants.inc"
};

// The tables of the job are arguments by value: constant memory, on most devices an operand of the instruction.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#if BFN && INTEL
__attribute__((intel_reqd_sub_group_size(8)))
#endif
void search(const struct LaunchWords launch, const struct JobWords job_words, __constant uint* version_words,
            volatile __global uint* found, const struct ConstantWords constant_words) {
    const uint index = (uint)get_global_id(0) * WIDTH;
#if ROLLED
    word kept[KEPT_WORDS + 1];
#if KEPT_WORDS < SHARED_WORDS
    // Each work item has a column of the group's local memory, and reads only what it wrote: no barrier.
    __local word columns[(SHARED_WORDS - KEPT_WORDS) * GROUP];
    LOCAL word* const column = columns + get_local_id(0);
#else
    LOCAL word* const column = 0;
#endif
#endif
    if (index >= launch.count) return;
    const word nonce = nonce_words(launch.first_nonce + index);
    word digest_words[8];
#if ROLLED
    {
#include "search_program/gpu_rolled_nonce.inc"
    }
    for (uint v = 0; v < launch.versions; ++v, version_words += VERSION_WORDS) {
        {
#include "search_program/gpu_rolled_hash1.inc"
        }
#include "search_program/gpu_rolled_hash2.inc"
#else
    {
        const uint v = 0;
        {
#include "search_program/gpu_fixed_hash1.inc"
        }
#include "search_program/gpu_fixed_hash2.inc"
#endif
        if (any_lane((h7 & launch.sieve_mask) == 0)) {
            note_lanes(h7, launch.target_top, v, launch.first_nonce + index, launch.count - index, found);
        }
    }
}
