// The search in OpenCL C 1.2: a prelude for the printed program (HACKING.md), and the kernel round it. The driver
// compiles this text for each device and variant; the build options say how:
//   ROLLED    0: one header; 1: several versions of one
//   JOB_WORDS, VERSION_WORDS, SHARED_WORDS   sizes of the program's tables
//   WIDTH     nonces per work item, as lanes of a vector: 1 on GPUs; 4, 8 or 16 on CPUs
//   GROUP     work items per work group
//   CAPACITY  candidates that fit into the result
//   ADDS, SHIFTS, ROTATIONS   1, with a WIDTH of 1: these run on the multiply-add pipe (Mix in host/gpu/engine.hpp)

#if WIDTH == 1
typedef uint word;
#define any_lane(x) (x)
#else
#define JOIN(x, y) x##y
#define VECTOR_OF(type, width) JOIN(type, width)
typedef VECTOR_OF(uint, WIDTH) word;
#define any_lane(x) any(x)
#endif

struct LaunchWords {  // as in host/gpu/engine.hpp
    uint first_nonce, count, sieve_mask, target_top, versions, one, powers[32];
};
struct JobWords {
    uint words[JOB_WORDS];
};

// Verbs. Compilers for GPUs know these forms of ch and maj and have an instruction for each. (With bitselect(), which
// says the same, PoCL is 6 % slower: LLVM opens it before it looks for ternary logic.)
#if ADDS
#define add(x, y) ((x)*launch.one + (y))
#else
#define add(x, y) ((x) + (y))
#endif
#if SHIFTS
#define shr(x, n) mul_hi(x, launch.powers[n])
#else
#define shr(x, n) ((x) >> (n))
#endif
#define rotr(x, n) rotate(x, (word)(32 - (n)))
#if ROTATIONS
#define rotr_wide(x, n) sum_of_halves((ulong)(x)*launch.powers[n], launch.one)
uint sum_of_halves(ulong x, uint one) { return (uint)x * one + (uint)(x >> 32); }
#else
#define rotr_wide(x, n) rotr(x, n)
#endif
#define xor3(x, y, z) ((x) ^ (y) ^ (z))
#define ch(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define maj(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define constant(value) ((word)(value))

// Sources and sinks.
#define job(i) ((word)(job_words.words[i]))
#define version(i) ((word)(version_words[i]))
#define shared(i) schedule[(i)*SCHEDULE_STRIDE]
#define export_shared(i, x) shared(i) = (x)
#define digest(i) digest_words[i]
#define export_digest(i, x) digest(i) = (x)

word swap_bytes(word x) {
    return (rotate(x, (word)(8)) & (word)(0x00ff00ffu)) | (rotate(x, (word)(24)) & (word)(0xff00ff00u));
}

/// The message words of the nonces from `first` on. (Serialised little-endian, read as big-endian.)
word nonce_words(uint first) {
    word nonces;
    for (uint lane = 0; lane < WIDTH; ++lane) ((uint*)&nonces)[lane] = first + lane;
    return swap_bytes(nonces);
}

/// Adds those lanes that pass to the result: a counter, then pairs of version index and nonce. When the pairs are full
/// it counts on, but not for long: it must not start again at 0. `lanes`: those below the end of the range.
void note_lanes(word h7, uint target_top, uint version_index, uint first_nonce, uint lanes,
                volatile __global uint* found) {
    if (found[0] > CAPACITY) return;
    const word top = swap_bytes(h7);
    for (uint lane = 0; lane < min(lanes, (uint)WIDTH); ++lane) {
        if (((const uint*)&top)[lane] > target_top) continue;
        const uint place = atomic_inc(found);
        if (place >= CAPACITY) continue;
        found[1 + 2 * place] = version_index;
        found[2 + 2 * place] = first_nonce + lane;
    }
}

// The tables of the job are arguments by value: constant memory, on most devices an operand of the instruction.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void search(const struct LaunchWords launch, const struct JobWords job_words, __constant uint* version_words,
            volatile __global uint* found) {
    const uint index = (uint)get_global_id(0) * WIDTH;
#if ROLLED && WIDTH == 1
    // Each work item has a column of the group's local memory, and reads only what it wrote: no barrier.
    __local word schedules[SHARED_WORDS * GROUP];
    __local word* const schedule = schedules + get_local_id(0);
#define SCHEDULE_STRIDE GROUP
#elif ROLLED
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
