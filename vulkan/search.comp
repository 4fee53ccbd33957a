// The search on a GPU: one nonce per invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "prelude.glsl"

#define job(i) WORD_AT(launch.job_words, i)

#if ROLLED
// The nonce's message schedule, which all versions share.
#if RADV_FORMS
// In registers, of which AMD's GPUs have enough: as much shared memory would leave each unit one work group.
#define schedule_word(i) schedule[i]
#else
// Word i of all invocations lies side by side, so that those that run in step use different banks; each reads only what
// it wrote, so there is nothing to wait for.
shared word schedule[46 * gl_WorkGroupSize.x];
#define schedule_word(i) schedule[(i) * gl_WorkGroupSize.x + gl_LocalInvocationID.x]
#endif
#define version(i) VERSION_WORD(v, i)
#define export_shared(i, x) schedule_word(i) = x
#endif

void main() {
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint index = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (index >= launch.count) return;
    const uint nonce_number = launch.first_nonce + index;
    const word nonce = swap_bytes(nonce_number);
    word digest_words[8];
#if ROLLED
#if RADV_FORMS
    word schedule[46];
#endif
    {
#include "gpu_rolled_nonce.inc"
    }
    for (uint v = 0; v < launch.versions; ++v) {
        {
#define shared(i) schedule_word(i)
#include "gpu_rolled_hash1.inc"
        }
#include "gpu_rolled_hash2.inc"
        if ((h7 & launch.sieve_mask) == 0 && passes_top_word(h7)) note_candidate(v, nonce_number);
    }
#else
    {
#include "gpu_fixed_hash1.inc"
    }
#include "gpu_fixed_hash2.inc"
    if ((h7 & launch.sieve_mask) == 0 && passes_top_word(h7)) note_candidate(0, nonce_number);
#endif
}
