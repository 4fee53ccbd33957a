// Windows gives these counters to drivers alone.
#include "host/sensors/cpu_energy.hpp"

namespace gpuminer {

CpuEnergy::CpuEnergy(const std::filesystem::path& /*folder*/) : problem_("Windows lets no program read it") {}

void CpuEnergy::sample() {}

std::optional<double> CpuEnergy::joules() const { return std::nullopt; }

}  // namespace gpuminer
