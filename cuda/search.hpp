// The search as one thread of a GPU does it for its nonce, in C++ that a CPU can run as well: the tests do that.
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
    const Limits& limits;

    GPUMINER_DEVICE static word constant(word value) { return value; }
    GPUMINER_DEVICE static word rotr(word x, int n) { return x >> n | x << (32 - n); }
    GPUMINER_DEVICE static word xor3(word x, word y, word z) { return x ^ y ^ z; }
    GPUMINER_DEVICE static word ch(word x, word y, word z) { return (x & y) | (~x & z); }
    GPUMINER_DEVICE static word maj(word x, word y, word z) { return (x & y) | (x & z) | (y & z); }
    GPUMINER_DEVICE word add(word x, word y) const { return kMix >= 1 ? x * limits.one + y : x + y; }
    GPUMINER_DEVICE word shr(word x, int n) const { return kMix >= 2 ? high_product(x, limits.powers[n]) : x >> n; }
    /// The bits that a shift to the right keeps, and those that it loses: the halves of x·2^(32-n). Adding them costs
    /// nothing, as it is part of a multiply-add.
    GPUMINER_DEVICE word rotr_wide(word x, int n) const {
        return kMix >= 3 ? x * limits.powers[n] + high_product(x, limits.powers[n]) : rotr(x, n);
    }

    /// Calls found(version_index, nonce) if the digest's last word passes. The first test lets one nonce in millions
    /// through, for any real target; the second is exact.
    template <class Found>
    GPUMINER_DEVICE void report(word h7, word version_index, word nonce, Found found) const {
        if ((h7 & limits.sieve_mask) != 0) return;
        if (byte_swapped(h7) <= limits.target_top) found(version_index, nonce);
    }
};

template <int kMix>
struct FixedSearch : Verbs<kMix> {
    using Verbs<kMix>::add, Verbs<kMix>::shr, Verbs<kMix>::rotr, Verbs<kMix>::rotr_wide, Verbs<kMix>::xor3;
    using Verbs<kMix>::ch, Verbs<kMix>::maj, Verbs<kMix>::constant;
    using Digest = word[8];

    GPUMINER_DEVICE void hash1(const FixedLaunch& launch, word nonce, Digest& digest_words) const {
        const auto job = [&](int i) { return launch.job[i]; };
        const auto export_digest = [&](int i, word x) { digest_words[i] = x; };
#include "search_program/gpu_fixed_hash1.inc"
    }
    GPUMINER_DEVICE word hash2(const Digest& digest_words) const {
        const auto digest = [&](int i) { return digest_words[i]; };
#include "search_program/gpu_fixed_hash2.inc"
        return h7;
    }

    /// What thread `index` of a launch does.
    template <class Found>
    GPUMINER_DEVICE static void run(const FixedLaunch& launch, word index, Found found) {
        if (index >= launch.limits.count) return;
        const FixedSearch search{{launch.limits}};
        const word nonce = launch.limits.first_nonce + index;
        Digest digest_words;
        search.hash1(launch, byte_swapped(nonce), digest_words);
        search.report(search.hash2(digest_words), 0, nonce, found);
    }
};

/// A thread's message schedule. `Quad` has the members x y z w; quad j is shared[j · kThreadsPerWarp].
template <class Quad>
struct Schedule {
    Quad* shared;
    word registers[kRegisterWords];

    GPUMINER_DEVICE word operator()(int i) const {
        const auto place = static_cast<unsigned>(i);
        if (place >= 4 * kSharedQuads) return registers[place - 4 * kSharedQuads];
        const Quad& quad = shared[place / 4 * kThreadsPerWarp];
        return place % 4 == 0 ? quad.x : place % 4 == 1 ? quad.y : place % 4 == 2 ? quad.z : quad.w;
    }
};

template <int kMix>
struct RolledSearch : Verbs<kMix> {
    using Verbs<kMix>::add, Verbs<kMix>::shr, Verbs<kMix>::rotr, Verbs<kMix>::rotr_wide, Verbs<kMix>::xor3;
    using Verbs<kMix>::ch, Verbs<kMix>::maj, Verbs<kMix>::constant;

    template <class Quad>
    GPUMINER_DEVICE void make_schedule(const RolledLaunch& launch, word nonce, Schedule<Quad>& schedule) const {
        word words[kRolledSharedWords];
        {
            const auto job = [&](int i) { return launch.job[i]; };
            const auto export_shared = [&](int i, word x) { words[i] = x; };
#include "search_program/gpu_rolled_nonce.inc"
        }
        GPUMINER_UNROLL()
        for (unsigned i = 0; i < kSharedQuads; ++i)
            schedule.shared[i * kThreadsPerWarp] = {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
        GPUMINER_UNROLL()
        for (unsigned i = 0; i < kRegisterWords; ++i) schedule.registers[i] = words[4 * kSharedQuads + i];
    }

    template <class Quad>
    GPUMINER_DEVICE word h7_of(const RolledLaunch& launch, word v, word nonce, const Schedule<Quad>& shared) const {
        word digest_words[8];
        {
            const auto job = [&](int i) { return launch.job[i]; };
            const auto version = [&](int i) { return launch.version[v][i]; };
            const auto export_digest = [&](int i, word x) { digest_words[i] = x; };
#include "search_program/gpu_rolled_hash1.inc"
        }
        const auto digest = [&](int i) { return digest_words[i]; };
#include "search_program/gpu_rolled_hash2.inc"
        return h7;
    }

    /// What thread `index` of a launch does. `shared`: its first quad in shared memory.
    template <class Quad, class Found>
    GPUMINER_DEVICE static void run(const RolledLaunch& launch, word index, Quad* shared, Found found) {
        if (index >= launch.limits.count) return;
        const RolledSearch search{{launch.limits}};
        const word nonce = launch.limits.first_nonce + index;
        Schedule<Quad> schedule{shared, {}};
        search.make_schedule(launch, byte_swapped(nonce), schedule);
        word v = 0;
        GPUMINER_UNROLL(1)
        do {
#if defined(__CUDA_ARCH__)
            asm volatile("" ::: "memory");  // else the compiler keeps what it has just written in registers
#endif
            const word h7 = search.h7_of(launch, v, byte_swapped(nonce), schedule);
            search.report(h7, launch.first_version + v, nonce, found);
        } while (++v < launch.versions);
    }
};

}  // namespace gpuminer::cuda
