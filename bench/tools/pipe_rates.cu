// Kernels that measure pipe rates: one block of 1,024 threads on each multiprocessor runs only the instructions in
// question, in independent chains, and reads the cycle counter before and after. Compiled by clang to PTX.
#include "bench/tools/pipe_rates.hpp"
#include "cuda/device.hpp"

namespace gpuminer::bench {
namespace {

// One instruction each, in PTX so that the compiler takes no other. `x` is the chain's value, `y` and `z` come from
// other chains, so that no step can be merged with the next.
struct Shf {
    GPUMINER_DEVICE static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(low) : "r"(y));
        x = low;
    }
};
struct Lop3 {
    GPUMINER_DEVICE static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t z) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(low) : "r"(y), "r"(z));
        x = low;
    }
};
struct Imad {
    GPUMINER_DEVICE static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t z) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(low) : "r"(y), "r"(z));
        x = low;
    }
};
struct ImadHi {
    GPUMINER_DEVICE static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t z) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("mad.hi.u32 %0, %0, %1, %2;" : "+r"(low) : "r"(y), "r"(z));
        x = low;
    }
};
struct ImadWide {
    /// Multiplies the halves of x, so that both halves of the product are needed.
    GPUMINER_DEVICE static void step(std::uint64_t& x, std::uint32_t, std::uint32_t) {
        const auto low = static_cast<std::uint32_t>(x);
        const auto high = static_cast<std::uint32_t>(x >> 32);
        asm volatile("mul.wide.u32 %0, %1, %2;" : "=l"(x) : "r"(low), "r"(high));
    }
};

/// Even chains take `Even`, odd ones `Odd`.
template <class Even, class Odd>
GPUMINER_DEVICE void measure(std::uint32_t seed, std::uint64_t* sink, std::uint64_t* cycles) {
    const std::uint32_t thread = cuda::thread_in_block();
    std::uint64_t x[kPipeChains];
    for (std::uint32_t i = 0; i < kPipeChains; ++i) x[i] = (std::uint64_t{seed} << 33) + thread * kPipeChains + i;
    const std::uint32_t y = seed * 0x9e3779b9u + thread;
    const std::uint32_t z = seed * 0x85ebca6bu - thread;
    __syncthreads();
    const std::uint64_t start = cuda::cycle_counter();
    GPUMINER_UNROLL(1)
    for (int round = 0; round < kPipeRounds; ++round) {
        GPUMINER_UNROLL()
        for (int step = 0; step < kPipeStepsPerRound; ++step) {
            GPUMINER_UNROLL()
            for (int i = 0; i < kPipeChains; i += 2) {
                Even::step(x[i], y, z);
                Odd::step(x[i + 1], y, z);
            }
        }
    }
    __syncthreads();
    const std::uint64_t end = cuda::cycle_counter();
    std::uint64_t sum = 0;
    for (const std::uint64_t each : x) sum += each;
    sink[cuda::thread_of_launch()] = sum;
    if (thread == 0) cycles[cuda::thread_of_launch() / kPipeThreads] = end - start;
}

}  // namespace

#define GPUMINER_PIPES(name, Even, Odd) \
    GPUMINER_KERNEL(kPipeThreads)       \
    name(std::uint32_t seed, std::uint64_t* sink, std::uint64_t* cycles) { measure<Even, Odd>(seed, sink, cycles); }
GPUMINER_PIPES(shf, Shf, Shf)
GPUMINER_PIPES(lop3, Lop3, Lop3)
GPUMINER_PIPES(shf_lop3, Shf, Lop3)
GPUMINER_PIPES(imad, Imad, Imad)
GPUMINER_PIPES(imad_hi, ImadHi, ImadHi)
GPUMINER_PIPES(imad_wide, ImadWide, ImadWide)
GPUMINER_PIPES(shf_imad, Shf, Imad)
GPUMINER_PIPES(lop3_imad, Lop3, Imad)
GPUMINER_PIPES(shf_imad_hi, Shf, ImadHi)
GPUMINER_PIPES(shf_imad_wide, Shf, ImadWide)

}  // namespace gpuminer::bench
