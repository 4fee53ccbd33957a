// The probes of x86-64's instruction sets. Inline assembly, so that no compiler thins it out, and so that this file
// needs no -m flags.
#include <array>

#include "bench/workloads/port_probe.hpp"

namespace gpuminer::bench {
namespace {

/// Eight instructions, four times over, in a loop.
#define GPUMINER_PROBE(NAME, EIGHT, AFTERWARDS)                                                               \
    void NAME(long repetitions) {                                                                             \
        asm volatile("1:\n\t.rept 4\n\t" EIGHT ".endr\n\tdec %0\n\tjnz 1b\n\t" AFTERWARDS                     \
                     : "+r"(repetitions)                                                                      \
                     :                                                                                        \
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "cc"); \
    }

GPUMINER_PROBE(run_avx512,
               "vprord $7, %%zmm16, %%zmm0\n\t"
               "vpaddd %%zmm17, %%zmm16, %%zmm1\n\t"
               "vprord $9, %%zmm16, %%zmm2\n\t"
               "vpternlogd $0x96, %%zmm18, %%zmm17, %%zmm3\n\t"
               "vpaddd %%zmm17, %%zmm18, %%zmm4\n\t"
               "vprord $9, %%zmm17, %%zmm5\n\t"
               "vpaddd %%zmm17, %%zmm16, %%zmm6\n\t"
               "vpaddd %%zmm17, %%zmm16, %%zmm7\n\t",
               "vzeroupper")

GPUMINER_PROBE(run_avx2,
               "vpsrld $7, %%ymm8, %%ymm0\n\t"
               "vpaddd %%ymm9, %%ymm8, %%ymm1\n\t"
               "vpslld $9, %%ymm8, %%ymm2\n\t"
               "vpxor %%ymm8, %%ymm9, %%ymm3\n\t"
               "vpaddd %%ymm9, %%ymm8, %%ymm4\n\t"
               "vpsrld $9, %%ymm9, %%ymm5\n\t"
               "vpaddd %%ymm9, %%ymm8, %%ymm6\n\t"
               "vpaddd %%ymm9, %%ymm8, %%ymm7\n\t",
               "vzeroupper")

// Two operands: each instruction waits for the one eight before it, which is done long since.
GPUMINER_PROBE(run_sse41,
               "psrld $7, %%xmm0\n\t"
               "paddd %%xmm9, %%xmm1\n\t"
               "pslld $9, %%xmm2\n\t"
               "pxor %%xmm9, %%xmm3\n\t"
               "paddd %%xmm9, %%xmm4\n\t"
               "psrld $9, %%xmm5\n\t"
               "paddd %%xmm9, %%xmm6\n\t"
               "paddd %%xmm9, %%xmm7\n\t",
               "")

GPUMINER_PROBE(run_shani,
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm1\n\t"
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm2\n\t"
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm3\n\t"
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm4\n\t"
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm5\n\t"
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm6\n\t"
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm7\n\t"
               "sha256rnds2 %%xmm0, %%xmm9, %%xmm8\n\t",
               "")

// Rounds with as many vector operations beside them as the schedules of a search in several versions take: more is
// what the ports have to do in any search. (K+W of two rounds is in register 0, which only reads it.)
#define GPUMINER_ROUNDS_WITH(BESIDE)                                                                \
    "sha256rnds2 %%xmm0, %%xmm1, %%xmm2\n\t" BESIDE "sha256rnds2 %%xmm0, %%xmm1, %%xmm3\n\t" BESIDE \
    "sha256rnds2 %%xmm0, %%xmm1, %%xmm4\n\t" BESIDE "sha256rnds2 %%xmm0, %%xmm1, %%xmm5\n\t" BESIDE \
    "sha256rnds2 %%xmm0, %%xmm1, %%xmm2\n\t" BESIDE "sha256rnds2 %%xmm0, %%xmm1, %%xmm3\n\t" BESIDE \
    "sha256rnds2 %%xmm0, %%xmm1, %%xmm4\n\t" BESIDE "sha256rnds2 %%xmm0, %%xmm1, %%xmm5\n\t" BESIDE

GPUMINER_PROBE(run_avx2_shani,
               GPUMINER_ROUNDS_WITH("vpsrld $7, %%ymm1, %%ymm6\n\t"
                                    "vpaddd %%ymm0, %%ymm1, %%ymm7\n\t"),
               "vzeroupper")

GPUMINER_PROBE(run_avx512_shani, GPUMINER_ROUNDS_WITH("vpaddd %%ymm17, %%ymm16, %%ymm7\n\t"), "vzeroupper")

#undef GPUMINER_ROUNDS_WITH
#undef GPUMINER_PROBE

constexpr std::array kProbes = {
    PortProbe{"sse41", "vector operations", run_sse41},
    PortProbe{"avx2", "vector operations", run_avx2},
    PortProbe{"avx512", "vector operations", run_avx512},
    PortProbe{"shani", "sha256rnds2", run_shani},
    PortProbe{"avx2+shani", "sha256rnds2 with vector operations beside", run_avx2_shani},
    PortProbe{"avx512+shani", "sha256rnds2 with vector operations beside", run_avx512_shani},
};

}  // namespace

std::span<const PortProbe> port_probes() { return kProbes; }

}  // namespace gpuminer::bench
