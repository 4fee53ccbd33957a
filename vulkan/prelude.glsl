// The prelude of both shaders: their interface with vulkan/launch.cpp, and the verbs of the printed program.
// Compiled with ROLLED: 0 for one header, 1 for several versions of one; and MIX: gpuminer::gpu::Mix as a number.

#define word uint
/// Element i of an array of uvec4, seen as an array of words.
#define WORD_AT(vectors, i) vectors[(i) / 4][(i) % 4]
/// Word i of version v's: the component of the vector is a constant where i is.
#define VERSION_WORD(v, i) launch.version_words[5 * (v) + (i) / 4][(i) % 4]

layout(local_size_x_id = 0) in;  // invocations per work group: KernelVariant::group

// LaunchBlock in vulkan/launch.hpp, whose first members are gpu::LaunchWords; both sides check these offsets.
layout(set = 0, binding = 0, std140) uniform LaunchBlock {
    layout(offset = 0) uvec4 powers[8];
    layout(offset = 128) uint first_nonce;
    layout(offset = 132) uint count;  // nonces of this launch
    layout(offset = 136) uint sieve_mask;
    layout(offset = 140) uint target_top;
    layout(offset = 144) uint versions;
    layout(offset = 148) word one;
    layout(offset = 152) word other_one;
    layout(offset = 160) uvec4 job_words[7];
    layout(offset = 272) uvec4 version_words[64 * 5];
} launch;

layout(set = 0, binding = 1, std430) buffer Results {
    uint found;          // counts on beyond the capacity, but not far
    uint padding;
    uvec2 candidates[];  // version's index within the launch, nonce
} results;

word swap_bytes(word x) {
    const word pairs = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (pairs >> 16) | (pairs << 16);
}

/// The hash is read as a little-endian number: hence the swapped bytes.
bool passes_top_word(word h7) { return swap_bytes(h7) <= launch.target_top; }

/// Counting stops once the buffer is full: an easy target can make more candidates than the counter can count.
void note_candidate(uint version_index, uint nonce_number) {
    if (atomicOr(results.found, 0u) > results.candidates.length()) return;
    const uint slot = atomicAdd(results.found, 1u);
    if (slot < results.candidates.length()) results.candidates[slot] = uvec2(version_index, nonce_number);
}

#define RADV_FORMS (MIX == 4)
#define MULTIPLIES(least_mix) (MIX >= (least_mix) && !RADV_FORMS)

#if MULTIPLIES(1)
#define add(x, y) ((x) * launch.one + (y))
#else
#define add(x, y) ((x) + (y))
#endif

#if MULTIPLIES(2)
#define add_uniform(u, x) ((u) * launch.other_one + (x))
#else
#define add_uniform(u, x) ((u) + (x))
#endif

#if RADV_FORMS
// ACO, RADV's compiler, has one instruction for a rotation, but sees one only where the amount is no constant.
#define AMOUNT(n) ((n) * launch.one)
#else
#define AMOUNT(n) (n)
#endif
#define rotr(x, n) (((x) >> AMOUNT(n)) | ((x) << (32 - AMOUNT(n))))
#define add_rotr(x, y, n) ((x) + rotr(y, n))

#if MULTIPLIES(3)
word shr_by_multiplying(word x, word power) {
    word high, low;
    umulExtended(x, power, high, low);
    return high;
}
#define shr(x, n) shr_by_multiplying(x, WORD_AT(launch.powers, n))
#else
#define shr(x, n) ((x) >> (n))
#endif

#if MULTIPLIES(3)
word rotr_by_multiplying(word x, word power) {
    word high, low;
    umulExtended(x, power, high, low);
    return add(low, high);
}
#define rotr_wide(x, n) rotr_by_multiplying(x, WORD_AT(launch.powers, n))
#else
#define rotr_wide(x, n) rotr(x, n)
#endif

#define xor3(x, y, z) ((x) ^ (y) ^ (z))
#if RADV_FORMS
// It makes one instruction of this ch; a maj and the maj_next after it share the and and the or of two words.
#define ch(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define maj(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define maj_next(x, y, z) (((y) & (z)) | ((x) & ((y) | (z))))
#else
#define ch(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define maj(x, y, z) ((y) ^ (((x) ^ (y)) & ((y) ^ (z))))
#define maj_next(x, y, z) maj(x, y, z)
#endif
#define constant(value) (value)

// Between the two hashes; `word digest_words[8]` is in scope where the program is included.
#define digest(i) digest_words[i]
#define export_digest(i, x) digest_words[i] = x
