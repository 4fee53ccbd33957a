// The search as one thread of a GPU does it for its nonce, in C++ that a CPU can run as well: the tests do that.
#pragma once

#include "cuda/prelude.hpp"

namespace gpuminer::cuda {

template <int kMix>
struct FixedSearch : Verbs<kMix> {
    using Verbs<kMix>::add, Verbs<kMix>::add_uniform, Verbs<kMix>::add_rotr, Verbs<kMix>::shr, Verbs<kMix>::rotr;
    using Verbs<kMix>::rotr_wide, Verbs<kMix>::xor3, Verbs<kMix>::ch, Verbs<kMix>::maj, Verbs<kMix>::maj_next;
    using Verbs<kMix>::constant;
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
        if (index >= launch.words.count) return;
        const FixedSearch search{{launch.words}};
        const word nonce = launch.words.first_nonce + index;
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
    using Verbs<kMix>::add, Verbs<kMix>::add_uniform, Verbs<kMix>::add_rotr, Verbs<kMix>::shr, Verbs<kMix>::rotr;
    using Verbs<kMix>::rotr_wide, Verbs<kMix>::xor3, Verbs<kMix>::ch, Verbs<kMix>::maj, Verbs<kMix>::maj_next;
    using Verbs<kMix>::constant;

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
        if (index >= launch.words.count) return;
        const RolledSearch search{{launch.words}};
        const word nonce = launch.words.first_nonce + index;
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
        } while (++v < launch.words.versions);
    }
};

}  // namespace gpuminer::cuda
