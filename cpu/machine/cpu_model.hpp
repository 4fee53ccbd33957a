// The CPU's name as text.
#pragma once

#include <string>

namespace gpuminer::cpu {

/// "Intel(R) Xeon(R) …", as the CPU calls itself; "Cortex-A53, Cortex-A72" of an ARM64 with both; "unknown CPU".
[[nodiscard]] std::string cpu_model();

}  // namespace gpuminer::cpu
