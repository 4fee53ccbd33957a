// The verbs of the printed program for a thread of a GPU, in C++ that a CPU can run as well.
#pragma once

#include "cuda/launch.hpp"

#if defined(__CUDACC__)
#define GPUMINER_DEVICE __device__ __forceinline__
#define GPUMINER_UNROLL(times) _Pragma(GPUMINER_TEXT(unroll times))
#define GPUMINER_TEXT(text) #text
#else
#define GPUMINER_DEVICE inline
#define GPUMINER_UNROLL(times)
#endif

namespace gpuminer::cuda {

/// A nonce is serialised little-endian and read as a big-endian message word.
GPUMINER_DEVICE word byte_swapped(word x) {
#if defined(__CUDA_ARCH__)
    return __byte_perm(x, 0, 0x0123);
#else
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
#endif
}

/// The high word of x·y. (Of a product of 64 bits, shifted, nvcc makes a wide multiplication, and moves its results.)
GPUMINER_DEVICE word high_product(word x, word y) {
#if defined(__CUDA_ARCH__)
    return __umulhi(x, y);
#else
    return static_cast<word>(std::uint64_t{x} * y >> 32);
#endif
}

/// The verbs of the printed program. `kMix` is gpu::Mix as a number, what goes to the multiply-add pipe: 0 nothing,
/// 1 additions, 2 shifts as well, 3 the rotations that are printed as rotr_wide as well.
template <int kMix>
struct Verbs {
    const gpu::LaunchWords& launch_words;

    GPUMINER_DEVICE static word constant(word value) { return value; }
    GPUMINER_DEVICE static word rotr(word x, int n) { return x >> n | x << (32 - n); }
    GPUMINER_DEVICE static word xor3(word x, word y, word z) { return x ^ y ^ z; }
    GPUMINER_DEVICE static word ch(word x, word y, word z) { return (x & y) | (~x & z); }
    GPUMINER_DEVICE static word maj(word x, word y, word z) { return (x & y) | (x & z) | (y & z); }
    GPUMINER_DEVICE word add(word x, word y) const { return kMix >= 1 ? x * launch_words.one + y : x + y; }
    GPUMINER_DEVICE word shr(word x, int n) const {
        return kMix >= 2 ? high_product(x, launch_words.powers[n]) : x >> n;
    }
    /// The bits that a shift to the right keeps, and those that it loses: the halves of x·2^(32-n). Adding them costs
    /// nothing, as it is part of a multiply-add.
    GPUMINER_DEVICE word rotr_wide(word x, int n) const {
        return kMix >= 3 ? x * launch_words.powers[n] + high_product(x, launch_words.powers[n]) : rotr(x, n);
    }

    /// Calls found(version_index, nonce) if the digest's last word passes. The first test lets one nonce in millions
    /// through, for any real target; the second is exact.
    template <class Found>
    GPUMINER_DEVICE void report(word h7, word version_index, word nonce, Found found) const {
        if ((h7 & launch_words.sieve_mask) != 0) return;
        if (byte_swapped(h7) <= launch_words.target_top) found(version_index, nonce);
    }
};

}  // namespace gpuminer::cuda
