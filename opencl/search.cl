// The search in OpenCL C 1.2: the kernel round the printed program. The driver compiles this text for each device and
// variant.
#include "prelude.cl"

// The tables of the job are arguments by value: constant memory, on most devices an operand of the instruction.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void search(const struct LaunchWords launch, const struct JobWords job_words, __constant uint* version_words,
            volatile __global uint* found) {
    const uint index = (uint)get_global_id(0) * WIDTH;
#if ROLLED && WIDTH == 1 && !BFI
    // Each work item has a column of the group's local memory, and reads only what it wrote: no barrier.
    __local word schedules[SHARED_WORDS * GROUP];
    __local word* const schedule = schedules + get_local_id(0);
#define SCHEDULE_STRIDE GROUP
#elif ROLLED  // in registers; with BFI, LLVM would not take it from local memory to there by itself
    word schedule[SHARED_WORDS];
#define SCHEDULE_STRIDE 1
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
