// The prelude of search.cl: parameters, verbs of the printed program (docs/design/gpus.md), results. The build options say what it
// is compiled for:
//   ROLLED    0: one header; 1: several versions of one
//   JOB_WORDS, VERSION_WORDS, SHARED_WORDS   sizes of the program's tables
//   WIDTH     nonces per work item, as lanes of a vector: 1 on GPUs; 4, 8 or 16 on CPUs
//   GROUP     work items per work group
//   CAPACITY  candidates that fit into the result
//   BFI, BFN  1, with a WIDTH of 1: ch and maj by an instruction of AMD's or Intel's GPUs
//   ADDS, ALL_ADDS, SHIFTS_ROTATIONS   1, with a WIDTH of 1: these run on the multiply-add pipe (Mix in host/gpu/engine.hpp)

#if WIDTH == 1
typedef uint word;
#define any_lane(x) (x)
#else
#define JOIN(x, y) x##y
#define VECTOR_OF(type, width) JOIN(type, width)
typedef VECTOR_OF(uint, WIDTH) word;
#define any_lane(x) any(x)
#endif

#if WIDTH == 1 && defined(__SPIR__) && defined(cl_intel_subgroups)
#define INTEL 1  // the compiler of Intel's GPUs
#endif

struct LaunchWords {  // as in host/gpu/launch_words.hpp
    uint powers[32], first_nonce, count, sieve_mask, target_top, versions, one, other_one;
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
#if ALL_ADDS
#define add_uniform(u, x) ((u)*launch.other_one + (x))
#else
#define add_uniform(u, x) ((u) + (x))
#endif
#define add_rotr(x, y, n) ((x) + rotr(y, n))
#if SHIFTS_ROTATIONS
#define shr(x, n) mul_hi(x, launch.powers[n])
#else
#define shr(x, n) ((x) >> (n))
#endif
#define rotr(x, n) rotate(x, (word)(32 - (n)))
#if SHIFTS_ROTATIONS
#define rotr_wide(x, n) sum_of_halves((ulong)(x)*launch.powers[n], launch.one)
uint sum_of_halves(ulong x, uint one) { return (uint)x * one + (uint)(x >> 32); }
#else
#define rotr_wide(x, n) rotr(x, n)
#endif
#define xor3(x, y, z) ((x) ^ (y) ^ (z))
#if BFI
#if defined(__AMDGCN__)
uint bfi(uint mask, uint x, uint y) {
    uint result;
    __asm("v_bfi_b32 %0, %1, %2, %3" : "=v"(result) : "v"(mask), "v"(x), "v"(y));
    return result;
}
#else
#define bfi(mask, x, y) bitselect(y, x, mask)
#endif
// LLVM takes the instruction for two thirds of the ch. maj and the maj_next after it share the exclusive or of two words.
#define ch(x, y, z) bfi(x, y, z)
#define maj(x, y, z) bfi((x) ^ (y), z, y)
#define maj_next(x, y, z) bfi((y) ^ (z), x, y)
#else
#if BFN && INTEL
// In Intel's virtual instruction set, for the 8 lanes that search.cl asks for. `results`: of each x, y, z, where x is the
// lowest bit of the place. The compiler takes two instructions, in whatever form ch and maj are written.
#define BFN_OF(results, x, y, z)                                                                  \
    uint result;                                                                                  \
    __asm("bfn.x" results " (M1, 8) %0(0,0)<1> %1(0,0)<1;1,0> %2(0,0)<1;1,0> %3(0,0)<1;1,0>"      \
          : "=rw"(result)                                                                         \
          : "rw"(x), "rw"(y), "rw"(z));                                                           \
    return result
uint ch(uint x, uint y, uint z) { BFN_OF("d8", x, y, z); }
uint maj(uint x, uint y, uint z) { BFN_OF("e8", x, y, z); }
#else
#define ch(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#if INTEL  // its GPUs without bfn share the exclusive or with another maj
#define maj(x, y, z) ((y) ^ (((x) ^ (y)) & ((y) ^ (z))))
#else
#define maj(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#endif
#endif
#define maj_next(x, y, z) maj(x, y, z)
#endif
#if INTEL || BFN  // as an operand from an argument: a sum of three takes no number, which would be moved to a register first
#define constant(value) constant_words.k_##value
#else
#define constant(value) ((word)(value))
#endif

// Words of the nonce's schedule that are in registers; the others are in local memory.
#if BFN || INTEL  // as many as fit beside the constants
#define KEPT_WORDS 36
#elif WIDTH > 1 || BFI
#define KEPT_WORDS SHARED_WORDS
#else
#define KEPT_WORDS 0
#endif
#if INTEL
#define LOCAL __local volatile  // else its compiler moves them to registers as well, and spills others
#else
#define LOCAL __local
#endif

// Sources and sinks.
#define job(i) ((word)(job_words.words[i]))
#define version(i) ((word)(version_words[i]))
#define shared(i) ((i) < KEPT_WORDS ? kept[(i) % (KEPT_WORDS + 1)] : column[((i)-KEPT_WORDS) * GROUP])
#define export_shared(i, x)                                     \
    if ((i) < KEPT_WORDS) kept[(i) % (KEPT_WORDS + 1)] = (x);   \
    else column[((i)-KEPT_WORDS) * GROUP] = (x)
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
