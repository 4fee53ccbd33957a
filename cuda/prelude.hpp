// The verbs of the printed program for a thread of a GPU, in C++ that a CPU can run as well.
#pragma once

#include "cuda/device.hpp"
#include "cuda/launch.hpp"

namespace gpuminer::cuda {

/// The verbs of the printed program. `kMix` is gpu::Mix as a number, what goes to the multiply-add pipe: 0 nothing,
/// 1 additions of two words of the nonce's, 2 all additions, 3 also shifts and the rotations printed as rotr_wide.
template <int kMix>
struct Verbs {
    const gpu::LaunchWords& launch_words;

    GPUMINER_DEVICE static word constant(word value) { return value; }
    GPUMINER_DEVICE static word rotr(word x, int n) { return x >> n | x << (32 - n); }
    GPUMINER_DEVICE static word xor3(word x, word y, word z) { return cuda::xor3(x, y, z); }
    GPUMINER_DEVICE static word ch(word x, word y, word z) { return choose(x, y, z); }
    GPUMINER_DEVICE static word maj(word x, word y, word z) { return majority(x, y, z); }
    GPUMINER_DEVICE static word maj_next(word x, word y, word z) { return majority(x, y, z); }
    GPUMINER_DEVICE word add(word x, word y) const { return kMix >= 1 ? x * launch_words.one + y : x + y; }
    /// `u` is a constant or a parameter. Its product with `launch_words.one` would take that number, used everywhere,
    /// into a register, and an instruction that reads three of them waits for the register file: so it is another one.
    GPUMINER_DEVICE word add_uniform(word u, word x) const {
        return kMix >= 2 ? u * launch_words.other_one + x : u + x;
    }
    /// One instruction, in this form alone.
    GPUMINER_DEVICE static word add_rotr(word x, word y, int n) { return x + rotr(y, n); }
    GPUMINER_DEVICE word shr(word x, int n) const {
        return kMix >= 3 ? high_product(x, launch_words.powers[n]) : x >> n;
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
