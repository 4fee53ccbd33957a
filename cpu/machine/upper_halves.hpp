// The upper halves of AVX's vector registers, which older code does not know.
#pragma once

namespace gpuminer::cpu {

/// Empties them, where the CPU has any. Code for SSE4.1 keeps what is in them, and so waits for it with every
/// instruction: on AMD's Zen 5 it takes 1.4 to 1.9 times as long, and libraries leave something there.
inline void clear_upper_halves() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx") != 0) asm volatile("vzeroupper");  // tests a bit that is set before main()
#endif
}

}  // namespace gpuminer::cpu
