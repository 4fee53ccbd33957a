// The probes of ARM64's instruction sets. Inline assembly, so that no compiler thins it out, and so that this file
// needs no flags of its own.
#include <array>

#include "bench/workloads/port_probe.hpp"

namespace gpuminer::bench {
namespace {

/// Eight instructions, four times over, in a loop.
#define GPUMINER_PROBE(NAME, EIGHT)                                                         \
    void NAME(long repetitions) {                                                           \
        asm volatile(".arch_extension sha2\n1:\n\t.rept 4\n\t" EIGHT                        \
                     ".endr\n\tsubs %0, %0, #1\n\tb.ne 1b\n\t"                              \
                     ".arch_extension nosha2"                                               \
                     : "+r"(repetitions)                                                    \
                     :                                                                      \
                     : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "cc"); \
    }

GPUMINER_PROBE(run_neon,
               "ushr v0.4s, v16.4s, #7\n\t"
               "add v1.4s, v16.4s, v17.4s\n\t"
               "shl v2.4s, v16.4s, #9\n\t"
               "eor v3.16b, v16.16b, v17.16b\n\t"
               "add v4.4s, v16.4s, v17.4s\n\t"
               "ushr v5.4s, v17.4s, #9\n\t"
               "add v6.4s, v16.4s, v17.4s\n\t"
               "add v7.4s, v16.4s, v17.4s\n\t")

GPUMINER_PROBE(run_sha2,
               "sha256h q0, q16, v17.4s\n\t"
               "sha256h2 q1, q16, v17.4s\n\t"
               "sha256h q2, q16, v17.4s\n\t"
               "sha256h2 q3, q16, v17.4s\n\t"
               "sha256h q4, q16, v17.4s\n\t"
               "sha256h2 q5, q16, v17.4s\n\t"
               "sha256h q6, q16, v17.4s\n\t"
               "sha256h2 q7, q16, v17.4s\n\t")

#undef GPUMINER_PROBE

constexpr std::array kProbes = {
    PortProbe{"neon", "vector operations", run_neon},
    PortProbe{"sha2", "sha256h and sha256h2", run_sha2},
};

}  // namespace

std::span<const PortProbe> port_probes() { return kProbes; }

}  // namespace gpuminer::bench
