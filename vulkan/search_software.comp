// The search on a Vulkan device that is a CPU (Mesa's lavapipe): one vector lane per invocation. There a branch is
// no branch but lanes switched off, and a word from a buffer costs dozens of instructions (it is loaded lane by lane).
// So each invocation scans kRun nonces, for which it loads the job's words once, and remembers hits as bits, which
// are looked at once. A version's schedule words are computed again (460 operations of 2,850), which takes less time
// than loading the next version's words would.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "prelude.glsl"

const uint kRun = 32;  // bits of `hits`; KernelVariant::width

#define job(i) job_words[i]

#if ROLLED
#define version(i) version_words[i]
#define export_shared(i, x) schedule[i] = x
#endif

void main() {
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint start = (group * gl_WorkGroupSize.x + gl_LocalInvocationID.x) * kRun;
    if (start >= launch.count) return;
    const uint end = min(kRun, launch.count - start);
    const uint first_nonce = launch.first_nonce + start;
    word job_words[28];
    for (int i = 0; i < 28; ++i) job_words[i] = WORD_AT(launch.job_words, i);
#if ROLLED
    for (uint v = 0; v < launch.versions; ++v) {
        word version_words[20];
        for (int i = 0; i < 20; ++i) version_words[i] = VERSION_WORD(v, i);
#else
    {
        const uint v = 0;
#endif
        uint hits = 0;
        for (uint i = 0; i < end; ++i) {
            const word nonce = swap_bytes(first_nonce + i);
            word digest_words[8];
#if ROLLED
            word schedule[46];
            {
#include "gpu_rolled_nonce.inc"
            }
            {
#define shared(i) schedule[i]
#include "gpu_rolled_hash1.inc"
            }
#include "gpu_rolled_hash2.inc"
#else
            {
#include "gpu_fixed_hash1.inc"
            }
#include "gpu_fixed_hash2.inc"
#endif
            hits |= uint(passes_top_word(h7)) << i;
        }
        for (; hits != 0; hits &= hits - 1) note_candidate(v, first_nonce + findLSB(hits));
    }
}
