// Kernels that measure pipe rates: one block of 1,024 threads on each multiprocessor runs only the instructions in
// question, in independent chains, and reads the cycle counter before and after. Compiled by clang to PTX.
#include "bench/tools/pipe_rates.hpp"
#include "cuda/device.hpp"

namespace gpuminer::bench {
namespace {

/// What a step takes beside the chain's value. `y` and `z` differ from chain to chain, as a register that several
/// instructions in turn read would come from the cache of operands; `one` is the same for all threads.
struct Operands {
    std::uint32_t y, z, one;
};

/// The high half stays, for ImadWide.
GPUMINER_DEVICE void set_low(std::uint64_t& x, std::uint32_t low) { x = x >> 32 << 32 | low; }

// One instruction each, in PTX so that the compiler takes no other. Their names are those of machine code. %0 is the
// chain's value; what the text does not name of the operands is not read.
#define GPUMINER_INSTRUCTION(name, text)                                                    \
    struct name {                                                                           \
        GPUMINER_DEVICE static void step(std::uint64_t& x, const Operands& o) {             \
            auto low = static_cast<std::uint32_t>(x);                                       \
            asm volatile(text : "+r"(low) : "r"(o.y), "r"(o.z), "r"(o.one)); /* %1 %2 %3 */ \
            set_low(x, low);                                                                \
        }                                                                                   \
    };
GPUMINER_INSTRUCTION(Shf, "shf.l.wrap.b32 %0, %0, %0, 7;")  // a rotation
GPUMINER_INSTRUCTION(Lop3, "lop3.b32 %0, %0, %1, %2, 0xe8;")
GPUMINER_INSTRUCTION(Viadd, "add.u32 %0, %0, 0x12345;")
GPUMINER_INSTRUCTION(Imad, "mad.lo.u32 %0, %0, %3, %2;")
GPUMINER_INSTRUCTION(ImadOf3, "mad.lo.u32 %0, %0, %1, %2;")
GPUMINER_INSTRUCTION(ImadHi, "mul.hi.u32 %0, %0, %3;")

struct ImadWide {
    /// Multiplies the halves of x, so that both halves of the product are needed.
    GPUMINER_DEVICE static void step(std::uint64_t& x, const Operands&) {
        const auto low = static_cast<std::uint32_t>(x);
        const auto high = static_cast<std::uint32_t>(x >> 32);
        asm volatile("mul.wide.u32 %0, %1, %2;" : "=l"(x) : "r"(low), "r"(high));
    }
};

/// The `place`-th of these instructions.
template <class First, class... Others>
GPUMINER_DEVICE void take(int place, std::uint64_t& x, const Operands& operands) {
    if (place == 0) First::step(x, operands);
    if constexpr (sizeof...(Others) != 0) {
        if (place != 0) take<Others...>(place - 1, x, operands);
    }
}

/// The instructions in turn, chain by chain, and each chain takes another one in the next step.
template <class... Instructions>
GPUMINER_DEVICE void measure(std::uint32_t seed, std::uint32_t one, std::uint64_t* sink, std::uint64_t* cycles) {
    constexpr int kKinds = sizeof...(Instructions);
    static_assert(kPipeChains % kKinds == 0 && kPipeStepsPerRound % kKinds == 0, "as many of each");
    constexpr int kPairs = 4;  // of other operands
    const std::uint32_t thread = cuda::thread_in_block();
    std::uint64_t x[kPipeChains];
    for (std::uint32_t i = 0; i < kPipeChains; ++i) x[i] = (std::uint64_t{seed} << 33) + thread * kPipeChains + i;
    Operands operands[kPairs];
    for (std::uint32_t i = 0; i < kPairs; ++i)
        operands[i] = {(seed + i) * 0x9e3779b9u + thread, (seed + i) * 0x85ebca6bu - thread, one};
    __syncthreads();
    const std::uint64_t start = cuda::cycle_counter();
    GPUMINER_UNROLL(1)
    for (int round = 0; round < kPipeRounds; ++round) {
        GPUMINER_UNROLL()
        for (int step = 0; step < kPipeStepsPerRound; ++step) {
            GPUMINER_UNROLL()
            for (int i = 0; i < kPipeChains; ++i)
                take<Instructions...>((i + step) % kKinds, x[i], operands[i % kPairs]);
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

#define GPUMINER_PIPES(name, ...)                                                             \
    GPUMINER_KERNEL(kPipeThreads)                                                             \
    name(std::uint32_t seed, std::uint32_t one, std::uint64_t* sink, std::uint64_t* cycles) { \
        measure<__VA_ARGS__>(seed, one, sink, cycles);                                        \
    }
GPUMINER_PIPES(shf, Shf)
GPUMINER_PIPES(lop3, Lop3)
GPUMINER_PIPES(shf_lop3, Shf, Lop3)
GPUMINER_PIPES(imad, Imad)
GPUMINER_PIPES(imad_hi, ImadHi)
GPUMINER_PIPES(imad_wide, ImadWide)
GPUMINER_PIPES(shf_imad, Shf, Imad)
GPUMINER_PIPES(lop3_viadd, Lop3, Viadd)
GPUMINER_PIPES(lop3_imad, Lop3, Imad)
GPUMINER_PIPES(lop3_imad_of_3, Lop3, ImadOf3)
GPUMINER_PIPES(shf_shf_imad_hi, Shf, Shf, ImadHi)
GPUMINER_PIPES(shf_shf_imad_wide, Shf, Shf, ImadWide)

}  // namespace gpuminer::bench
