#include "host/sensors/cpu_energy.hpp"

namespace gpuminer {

std::filesystem::path powercap_folder() { return "/sys/class/powercap"; }

}  // namespace gpuminer
