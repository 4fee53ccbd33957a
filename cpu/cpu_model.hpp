// The CPU's name as text.
#pragma once

#include <string>

#include "cpu/features.hpp"

namespace gpuminer::cpu {

/// As read_cpu_model(); "unknown CPU" where it has none.
[[nodiscard]] inline std::string cpu_model() {
    const CpuModel model = read_cpu_model();
    return model.text[0] == 0 ? "unknown CPU" : model.text;
}

}  // namespace gpuminer::cpu
