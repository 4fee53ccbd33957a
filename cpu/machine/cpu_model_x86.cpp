// The name of an x86-64 CPU.
#include "cpu/machine/cpu_model.hpp"

#include "cpu/machine/features.hpp"

namespace gpuminer::cpu {

std::string cpu_model() {
    const CpuModel model = read_cpu_model();
    return model.text[0] == 0 ? "unknown CPU" : model.text;
}

}  // namespace gpuminer::cpu
