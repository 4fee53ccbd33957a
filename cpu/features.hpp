// What this CPU and its operating system can do, as far as the search needs it.
#pragma once

#include <string>

namespace gpuminer::cpu {

/// Each flag: the instructions exist (cpuid) and the system saves the registers they use (xgetbv).
struct Features {
    bool sse41 = false;
    bool avx2 = false;
    bool avx512f = false;
    bool avx512bw = false;  ///< and avx512f
    bool sha = false;
    bool rdtscp = false;

    friend bool operator==(const Features&, const Features&) = default;
};

[[nodiscard]] Features detect_features();

/// "Intel(R) Xeon(R) …", as the CPU calls itself.
[[nodiscard]] std::string cpu_model();

}  // namespace gpuminer::cpu
